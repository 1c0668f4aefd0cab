// SPDX-License-Identifier: MIT
// Reads the learned position embeddings of a model: one vector per row and one per column. The embedding of a pixel's position is the
// concatenation of its row's vector and its column's vector. This file does not use the DOM.
// @ts-check
import { readGguf } from '../../shell/model/gguf.js';

/** @typedef {Float32Array[]} Table one vector per row, or one per column */
/** @typedef {{ rows: Table, cols: Table }} Places */

/** Reads both tables from a weight file. @param {ArrayBuffer} file @returns {Places} */
export function placesOf(file) {
  const { tensor } = readGguf(file);
  const [rows, cols] = ['position_row.weight', 'position_col.weight'].map((name) => {
    const {
      shape: [width, count],
      values,
    } = tensor(name);
    return Array.from({ length: count }, (_, i) => values.subarray(i * width, (i + 1) * width));
  });
  return { rows, cols };
}

/**
 * Returns the initial values before training: sines, then cosines, with decreasing frequencies.
 * @param {number} count number of rows or columns
 * @param {number} width
 * @returns {Table}
 */
export function waves(count, width) {
  const turns = width / 2;
  return Array.from({ length: count }, (_, p) =>
    Float32Array.from({ length: width }, (_, i) => {
      const angle = p * 10000 ** (-(i % turns) / Math.max(1, turns - 1));
      return i < turns ? Math.sin(angle) : Math.cos(angle);
    }),
  );
}

/** Returns the table after subtracting the mean of its vectors from each vector. @param {Table} table @returns {Table} */
export function apart(table) {
  const mean = table[0].map((_, e) => table.reduce((sum, list) => sum + list[e], 0) / table.length);
  return table.map((list) => list.map((x, e) => x - mean[e]));
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const dot = (a, b) => Array.from(a).reduce((sum, x, e) => sum + x * b[e], 0);

/** Returns the cosine similarity of each pair of vectors. @param {Table} table @returns {Float32Array[]} */
export function likeness(table) {
  const sizes = table.map((list) => Math.sqrt(dot(list, list)));
  return table.map((a, i) => Float32Array.from(table, (b, j) => dot(a, b) / (sizes[i] * sizes[j] || 1)));
}

/**
 * Returns the cosine similarity between the position embedding of one pixel and that of each pixel, as [row][col]. The embedding of a pixel
 * is the vector of its row, followed by the vector of its column.
 * @param {Places} places
 * @param {{ row: number, col: number }} at
 */
export function likenessOfPixels({ rows, cols }, { row, col }) {
  const of = (/** @type {Table} */ table, /** @type {number} */ i) =>
    table.map((list) => ({ with: dot(table[i], list), size: dot(list, list) }));
  const [down, across] = [of(rows, row), of(cols, col)];
  const own = down[row].size + across[col].size;
  return down.map((r) => Float32Array.from(across, (c) => (r.with + c.with) / (Math.sqrt(own * (r.size + c.size)) || 1)));
}
