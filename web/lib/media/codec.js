// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Reads the properties of a model's pictures from the file's metadata, and converts between pictures and ids. This module has only plain
 * functions, which do not use the engine.
 */

import { listOf, wholeOf } from '../engine/keys.js';

/** @import { Metadata } from '../gguf/metadata.js' */
/** @import { Part } from '../engine/protocol.js' */

/**
 * The description of a picture model. A position is one channel or one whole pixel.
 *
 * @typedef {object} PictureInfo
 * @property {number} width         pixels
 * @property {number} height        pixels
 * @property {number} channels      1 (grey) or 3 (red, green, blue)
 * @property {number} levels        number of values per channel, 2 to 256; with a palette, the number of its colours
 * @property {Uint8Array | null} palette  shape (levels, 3): the colours of the model's palette; null: the model has no palette
 * @property {number} inputWidth    width in pixels of the small picture from which superResolve() starts; 0 if the model takes none
 * @property {number} inputHeight
 * @property {number} window        the largest number of positions that one position can attend to
 * @property {number} queryBlock    number of positions in a query block of local 1D attention; otherwise 0
 * @property {number} memoryBlock   number of positions in the memory block of local 1D attention
 * @property {number} blockRows     number of rows in a query block of local 2D attention; otherwise 0. If the model has no blocks of either
 *   type, its attention is full
 * @property {number} blockCols     number of columns of this query block, in positions
 * @property {number} flangeRows    number of rows above a query block that the block also sees
 * @property {number} flangeCols    number of columns on either side of a query block that the block also sees, in positions
 * @property {boolean} lookAhead    whether the file has a draft for speculative decoding; if it has one, a single sample takes fewer passes
 */

/**
 * The fields of the description that the codec needs.
 *
 * @typedef {Pick<PictureInfo, 'width' | 'height' | 'channels' | 'levels' | 'palette'> & Partial<PictureInfo> & { positions: number, heads: number }} CodecInfo
 */

/**
 * Returns a function that reads a non-negative integer from the file's metadata. The first argument of the returned function is
 * the key without its prefix; the prefix is the name of the architecture.
 * @param {string} architecture
 * @param {Metadata} metadata
 */
const numbers =
  (architecture, metadata) =>
  (/** @type {string} */ name, missing = 0, most = 2 ** 31) => {
    const key = `${architecture}.${name}`;
    return metadata.has(key) ? wholeOf(metadata, key, 0, most) : missing;
  };

/**
 * Describes the network and the labels of a model of any kind.
 * @param {string} architecture
 * @param {Metadata} metadata
 * @param {Part} part
 */
export function networkInfo(architecture, metadata, part) {
  const number = numbers(architecture, metadata);
  const names = listOf(metadata, `${architecture}.classes`, 'strings');
  const classes = part.inputs.find(({ name }) => name === 'class')?.values ?? 0;
  return {
    classes: Array.from({ length: classes }, (_, i) => names[i] || String(i)),
    blocks: number('block_count'),
    heads: number('attention.head_count'),
    embedding: number('embedding_length'),
  };
}

/** Describes the size of the pictures. @param {string} architecture @param {Metadata} metadata */
export function sizeInfo(architecture, metadata) {
  const number = numbers(architecture, metadata);
  return { width: number('image.width'), height: number('image.height'), channels: number('image.channels', 1, 4) };
}

/**
 * @param {string} architecture
 * @param {Metadata} metadata
 * @param {Part} part
 * @returns {PictureInfo}
 */
export function pictureInfo(architecture, metadata, part) {
  const number = numbers(architecture, metadata);
  const pattern = metadata.get(`${architecture}.attention.pattern`);
  const queryBlock = pattern === 'local-1d' ? number('attention.query_block') : 0;
  const input = part.inputs.find(({ name }) => name === 'image');
  const map = part.maps.find(({ name }) => name === 'attention');
  /** @param {string} key */
  const local2d = (key) => (pattern === 'local-2d' ? number(`attention.${key}`) : 0);
  return {
    ...sizeInfo(architecture, metadata),
    levels: part.values,
    palette: paletteOf(part),
    inputWidth: input ? input.dims[1] : 0,
    inputHeight: input ? input.dims[0] : 0,
    window: map?.keys ?? part.length,
    queryBlock,
    memoryBlock: queryBlock ? number('attention.memory_block', queryBlock) : 0,
    blockRows: local2d('block_rows'),
    blockCols: local2d('block_cols'),
    flangeRows: local2d('flange_rows'),
    flangeCols: local2d('flange_cols'),
    lookAhead: part.draft,
  };
}

/**
 * Returns the palette, which is the colour of each id; null if the model has no palette.
 *
 * @param {Part} part
 */
function paletteOf(part) {
  const table = part.tables.find(({ name }) => name === 'palette.weight');
  return table ? Uint8Array.from(table.data, (value) => Math.min(Math.max(Math.floor(value + 0.5), 0), 255)) : null;
}

/**
 * Returns the raster index of each position, in generation order: raster order or, with local 2D attention, block by block.
 *
 * @param {Pick<CodecInfo, 'height' | 'blockRows' | 'blockCols' | 'positions'>} info
 * @returns {Uint32Array}
 */
export function generationOrder({ height, positions, blockRows = 0, blockCols = 0 }) {
  const columns = positions / height;
  if (!blockRows) return Uint32Array.from({ length: positions }, (_, i) => i);
  const order = [];
  for (let top = 0; top < height; top += blockRows) {
    for (let left = 0; left < columns; left += blockCols) {
      for (let row = top; row < Math.min(top + blockRows, height); row++) {
        for (let column = left; column < Math.min(left + blockCols, columns); column++) order.push(row * columns + column);
      }
    }
  }
  return Uint32Array.from(order);
}

/**
 * Converts between three forms of a picture:
 *
 *     picture   (height, width, channels) 8-bit, in raster order
 *     elements  the same values in generation order; the steps of a run are counted in elements
 *     ids       the engine's input and output: for each position the levels of its elements, or the index of its colour
 *
 * A position of the engine is one channel or one whole pixel. A position has `positionElements` elements.
 */
export class Codec {
  /** @type {CodecInfo} */
  info;
  /** The raster index of each position. @type {Uint32Array} */
  order;
  /** Number of elements of a picture. @type {number} */
  elements;
  /** Number of elements per position. @type {number} */
  positionElements;
  /** Number of ids per position. @type {number} */
  positionIds;

  /**
   * @param {CodecInfo} info
   * @param {Uint32Array} [order]
   */
  constructor(info, order = generationOrder(info)) {
    this.info = info;
    this.order = order;
    this.elements = info.width * info.height * info.channels;
    this.positionElements = this.elements / info.positions;
    this.positionIds = info.palette ? 1 : this.positionElements;
  }

  /**
   * Returns an element's index in the picture.
   *
   * @param {number} element
   */
  place(element) {
    return this.order[Math.floor(element / this.positionElements)] * this.positionElements + (element % this.positionElements);
  }

  /**
   * Returns the ids of a picture's first positions. Colours are replaced by the nearest colours of the palette. Without a palette, the
   * values of channels are replaced by the nearest levels.
   *
   * @param {Uint8Array} picture
   * @param {number} [positions]
   * @returns {Uint32Array<ArrayBuffer>}
   */
  encode(picture, positions = this.info.positions) {
    const { palette, levels } = this.info;
    const elements = Uint8Array.from({ length: positions * this.positionElements }, (_, i) => picture[this.place(i)]);
    return palette ? Uint32Array.from(nearestColours(elements, palette)) : Uint32Array.from(elements, (value) => levelOf(value, levels));
  }

  /**
   * @param {Uint32Array} ids
   * @returns {Uint8Array} elements
   */
  decode(ids) {
    const { palette, levels } = this.info;
    if (!palette) return Uint8Array.from(ids, (level) => valueOf(level, levels));
    const elements = new Uint8Array(3 * ids.length);
    ids.forEach((index, i) => elements.set(palette.subarray(3 * index, 3 * index + 3), 3 * i));
    return elements;
  }

  /**
   * Returns the nats of each element. The nats of a palette colour are assigned to the first element of the pixel; the other two elements
   * get 0.
   *
   * @param {Float32Array} nats  nats of each id
   * @returns {Float32Array} the same array if the model has no palette
   */
  elementNats(nats) {
    if (!this.info.palette) return nats;
    const each = new Float32Array(3 * nats.length);
    nats.forEach((cost, i) => {
      each[3 * i] = cost;
    });
    return each;
  }

  /**
   * Repeats the value of a position for each of its elements.
   *
   * @param {Uint8Array} numbers  one value per position
   * @returns {Uint8Array} the same array if a position is one element
   */
  spread(numbers) {
    if (this.positionElements === 1) return numbers;
    return Uint8Array.from({ length: numbers.length * this.positionElements }, (_, i) => numbers[Math.floor(i / this.positionElements)]);
  }
}

/**
 * Returns the index of the level that is nearest to a value. The levels are evenly spaced from 0 to 255. Uses integer arithmetic.
 *
 * @param {number} value  8-bit
 * @param {number} levels
 */
function levelOf(value, levels) {
  return Math.floor((2 * value * (levels - 1) + 255) / 510);
}

/**
 * Returns the value of a level: round(255 * level / (levels - 1)).
 *
 * @param {number} level
 * @param {number} levels
 */
function valueOf(level, levels) {
  return Math.floor((510 * level + levels - 1) / (2 * (levels - 1)));
}

/**
 * Rounds 8-bit values to the levels that a model distinguishes.
 *
 * @param {Uint8Array} values
 * @param {number} levels
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function quantise(values, levels) {
  return Uint8Array.from(values, (value) => valueOf(levelOf(value, levels), levels));
}

/**
 * Returns, for each pixel, the index of the nearest colour of the palette (Euclidean distance). If several colours are equally near,
 * returns the lowest index.
 *
 * @param {Uint8Array} pixels   shape (count, 3)
 * @param {Uint8Array} palette  shape (colours, 3)
 * @returns {Uint8Array<ArrayBuffer>} shape (count)
 */
export function nearestColours(pixels, palette) {
  return Uint8Array.from({ length: pixels.length / 3 }, (_, i) => {
    let best = 0;
    let least = Infinity;
    for (let at = 0; at < palette.length; at += 3) {
      const distance =
        (pixels[3 * i] - palette[at]) ** 2 + (pixels[3 * i + 1] - palette[at + 1]) ** 2 + (pixels[3 * i + 2] - palette[at + 2]) ** 2;
      if (distance < least) {
        least = distance;
        best = at / 3;
      }
    }
    return best;
  });
}
