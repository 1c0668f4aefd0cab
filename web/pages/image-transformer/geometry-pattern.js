// SPDX-License-Identifier: MIT
// Computes the pattern of local attention: which other positions each position sees. The only input is the geometry in a model's
// description: query blocks, memory and flanges. The engine computes the same pattern in another way. The tests compare the two patterns
// position by position.
// @ts-check

/** @import { ModelInfo } from '../../shell/index.js' */

/**
 * The fields of a model's description that this file uses.
 *
 * @typedef {Pick<ModelInfo, 'height' | 'positions' | 'queryBlock' | 'memoryBlock' | 'blockRows' | 'blockCols' | 'flangeRows' | 'flangeCols'>} Shape
 */

/**
 * The positions that a query sees.
 *
 * @typedef {Object} Seen
 * @property {Int32Array} elements raster indices as in model.attention(); -1 is the start symbol
 * @property {number} own number of elements in the query's own block
 * @property {number} memory number of elements in the memory, outside the query's own block
 */

/**
 * A query block: the range of its positions, and the rectangle that it covers in the grid.
 *
 * @typedef {Object} Block
 * @property {number} index
 * @property {number} from first position of the block
 * @property {number} to one past the last position of the block
 * @property {number} top first row; for local 1D attention, the row in which the block starts
 * @property {number} bottom one past the last row
 * @property {number} left
 * @property {number} right
 */

/**
 * Returns the drawing order. The rows of blocks are drawn from top to bottom, the blocks in each row from left to right, and the pixels in
 * each block row by row. Without 2D blocks, the picture is drawn row by row.
 *
 * @param {Shape} shape
 * @returns {Uint32Array} for each position, the raster index of its pixel
 */
export function blockRaster({ height, positions, blockRows, blockCols }) {
  const cols = positions / height;
  const order = Uint32Array.from({ length: positions }, (_, pixel) => pixel);
  if (blockRows === 0) return order;
  const down = (/** @type {number} */ pixel) => Math.floor(pixel / cols / blockRows);
  const across = (/** @type {number} */ pixel) => Math.floor((pixel % cols) / blockCols);
  return order.sort((a, b) => down(a) - down(b) || across(a) - across(b) || a - b);
}

export class Geometry {
  /** @param {Shape} shape @param {Uint32Array} [order] drawing order of the model (default: derived from the shape) */
  constructor(shape, order = blockRaster(shape)) {
    this.shape = shape;
    this.order = order;
    this.positions = shape.positions;
    this.rows = shape.height;
    /** Number of positions per row. A position is a pixel, or one channel of a pixel. */
    this.cols = shape.positions / shape.height;
    this.is2d = shape.blockRows > 0;
    /** The position of each pixel, by raster index. */
    this.stepAt = new Uint32Array(order.length);
    order.forEach((pixel, step) => {
      this.stepAt[pixel] = step;
    });
  }

  /** Returns the row and column of a position. @param {number} step */
  at(step) {
    const pixel = this.order[step];
    return { row: Math.floor(pixel / this.cols), col: pixel % this.cols };
  }

  /** Returns the query block of a position. @param {number} step @returns {Block} */
  block(step) {
    const { queryBlock, blockRows, blockCols } = this.shape;
    if (!this.is2d) {
      const size = queryBlock || this.positions;
      const index = Math.floor(step / size);
      const from = index * size;
      const to = Math.min(from + size, this.positions);
      return { index, from, to, top: Math.floor(from / this.cols), bottom: Math.ceil(to / this.cols), left: 0, right: this.cols };
    }
    const { row, col } = this.at(step);
    const top = row - (row % blockRows);
    const left = col - (col % blockCols);
    const bottom = Math.min(top + blockRows, this.rows);
    const right = Math.min(left + blockCols, this.cols);
    // number of positions in the rows of blocks above this block, and in the blocks to its left
    const from = top * this.cols + (bottom - top) * left;
    const index = (top / blockRows) * Math.ceil(this.cols / blockCols) + left / blockCols;
    return { index, from, to: from + (bottom - top) * (right - left), top, bottom, left, right };
  }

  /** Returns all query blocks, in drawing order. @returns {Block[]} */
  blocks() {
    const blocks = [];
    for (let step = 0; step < this.positions; ) {
      const block = this.block(step);
      blocks.push(block);
      step = block.to;
    }
    return blocks;
  }

  /** Returns whether a position is in the memory of a query block. @param {Block} block @param {number} step */
  #remembers({ from, top, bottom, left, right }, step) {
    const { memoryBlock, flangeRows, flangeCols } = this.shape;
    if (!this.is2d) return step < from && step >= from - memoryBlock;
    const { row, col } = this.at(step);
    if (row >= top - flangeRows && row < top) return col >= left - flangeCols && col < right + flangeCols;
    // In the block's own rows, the right flange is drawn later, so the memory does not contain it.
    return row >= top && row < bottom && col >= left - flangeCols && col < left;
  }

  /**
   * Returns the memory of the block that contains a position: the positions that all queries of the block see, in ascending order.
   * @param {number} step
   */
  memory(step) {
    const block = this.block(step);
    const memory = [];
    for (let other = 0; other < block.from; other++) if (this.#remembers(block, other)) memory.push(other);
    return memory;
  }

  /**
   * Returns the positions that the query at a position sees. The input is shifted by one, so each position holds the pixel (or the channel)
   * of the previous position.
   *
   * @param {number} step
   * @returns {Seen}
   */
  seen(step) {
    const memory = this.memory(step);
    const { from } = this.block(step);
    const keys = [...memory, ...Array.from({ length: step - from + 1 }, (_, i) => from + i)];
    return {
      elements: Int32Array.from(keys, (key) => (key > 0 ? this.order[key - 1] : -1)),
      own: step - from + 1,
      memory: memory.length,
    };
  }

  /** Returns the number of positions visible to a query, without listing them. @param {number} step */
  count(step) {
    const { memoryBlock, flangeRows, flangeCols } = this.shape;
    const { from, top, bottom, left, right } = this.block(step);
    const own = step - from + 1;
    if (!this.is2d) return own + Math.min(from, memoryBlock);
    const first = Math.max(0, left - flangeCols);
    const above = Math.min(top, flangeRows) * (Math.min(right + flangeCols, this.cols) - first);
    return own + above + (bottom - top) * (left - first);
  }

  /** Returns the largest number of positions that any query sees. */
  most() {
    // Within a block, each query sees one position more than the query before it.
    return Math.max(...this.blocks().map(({ to }) => this.count(to - 1)));
  }

  /** Returns the geometry for a square picture of another size, with the same blocks and memory. @param {number} side pixels */
  over(side) {
    const each = this.cols / this.rows; // positions per pixel, assuming that the picture is square
    return new Geometry({ ...this.shape, height: side, positions: side * side * each });
  }
}
