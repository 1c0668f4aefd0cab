// SPDX-License-Identifier: MIT
// Computes the receptive field of a pixel, layer by layer, given the positions that each layer of a shipped model reads. This file does not
// use the DOM. A test compares the results with those of the engine.
// @ts-check
import { Geometry } from '../image-transformer/geometry-pattern.js';

/**
 * A stack of layers over the positions of a picture, in drawing order. Position p holds pixel p - 1 and predicts pixel p.
 *
 * @typedef {Object} Stack
 * @property {number} rows
 * @property {number} cols
 * @property {number} layers
 * @property {Uint32Array} order  for each position, the raster index of its pixel
 * @property {(layer: number, position: number) => Iterable<number>} keys  returns the positions that a position reads in the layer below,
 *   except this position itself
 */

/** @param {number} count */
const raster = (count) => Uint32Array.from({ length: count }, (_, i) => i);

/**
 * Returns the stack of WaveNet: convolutions with two taps over a one-dimensional sequence of pixels.
 *
 * @param {number} side
 * @param {number[]} dilations
 * @returns {Stack}
 */
export const dilated = (side, dilations) => ({
  rows: side,
  cols: side,
  layers: dilations.length + 1,
  order: raster(side * side),
  keys: (layer, position) => [position - (layer ? dilations[layer - 1] : 1)].filter((key) => key >= 0), // the first layer reads the last two pixels
});

/**
 * Returns a stack of layers with strided attention. The layers alternate between two sets of positions: the last `side` positions, and
 * every `side`-th earlier position.
 * @param {number} side @param {number} layers @returns {Stack}
 */
export const strided = (side, layers) => ({
  rows: side,
  cols: side,
  layers,
  order: raster(side * side),
  keys: (layer, position) => Array.from({ length: side }, (_, k) => position - (layer % 2 ? side : 1) * k).filter((key) => key >= 0),
});

/** Returns a stack of layers with attention to all earlier positions. @param {number} side @param {number} layers @returns {Stack} */
export const dense = (side, layers) => ({
  rows: side,
  cols: side,
  layers,
  order: raster(side * side),
  keys: (_, position) => raster(position),
});

/** @param {number} side @param {number} layers @param {{ queryBlock?: number, memoryBlock?: number, blockRows?: number, blockCols?: number, flangeRows?: number, flangeCols?: number }} blocks @returns {Stack} */
export function local(side, layers, { queryBlock = 0, memoryBlock = 0, blockRows = 0, blockCols = 0, flangeRows = 0, flangeCols = 0 }) {
  const geometry = new Geometry({
    height: side,
    positions: side * side,
    queryBlock,
    memoryBlock,
    blockRows,
    blockCols,
    flangeRows,
    flangeCols,
  });
  /** The memory of each block, by the block's index. All positions of a block have the same memory. @type {Map<number, number[]>} */
  const memories = new Map();
  return {
    rows: side,
    cols: side,
    layers,
    order: geometry.order,
    keys(_, position) {
      const { from } = geometry.block(position);
      const memory = memories.get(from) ?? geometry.memory(position);
      memories.set(from, memory);
      return [...memory, ...Array.from({ length: position - from }, (_, i) => from + i)];
    },
  };
}

/**
 * Returns the pixels that affect a given pixel after 1, 2, ... layers: [layers - 1][other] is 1 if the pixel `other` affects the given
 * pixel.
 *
 * @param {Stack} stack
 * @param {number} pixel raster index of the pixel
 */
export function reachOf({ layers, order, keys }, pixel) {
  const asked = order.indexOf(pixel);
  return Array.from({ length: layers }, (_, last) => {
    /** Positions reached so far, going down from the last layer. */
    let read = new Set([asked]);
    for (let layer = last; layer >= 0; layer--) {
      const below = new Set(read);
      for (const position of read) for (const key of keys(layer, position)) below.add(key);
      read = below;
    }
    const seen = new Uint8Array(order.length);
    for (const position of read) if (position > 0) seen[order[position - 1]] = 1;
    return seen;
  });
}

/** Returns an array with 1 for each pixel that is drawn before a given pixel. @param {Stack} stack @param {number} pixel */
export function before({ order }, pixel) {
  const drawn = new Uint8Array(order.length);
  for (const other of order.subarray(0, order.indexOf(pixel))) drawn[other] = 1;
  return drawn;
}
