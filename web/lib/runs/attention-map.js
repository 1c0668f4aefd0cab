// SPDX-License-Identifier: MIT
// @ts-check

/** @import { MapRow } from '../engine/protocol.js' */

/**
 * The attention of one head of a layer.
 *
 * @typedef {object} AttentionMap
 * @property {string} name           'attention': to earlier positions; 'source': to the source sentence; 'encoder': within that sentence
 * @property {number} layer
 * @property {number} head
 * @property {Int32Array} queries    of each row of the weights, its token, counted from 0
 * @property {Int32Array} keys       of each column, its token; -1: the start, which comes before the first one
 * @property {Float32Array} weights  (queries, keys), row by row; 0 where a query does not look
 */

/**
 * The maps of all heads, of the rows of every position.
 *
 * @param {MapRow[][]} positions
 * @param {number} heads   of a layer
 * @param {number} source  tokens of the sentence that is translated, if any
 * @returns {AttentionMap[]}
 * @internal
 */
export function mapsOf(positions, heads, source) {
  const n = positions.length;
  const count = (/** @type {number} */ k, first = 0) => Int32Array.from({ length: k }, (_, i) => i + first);
  /** @type {Map<string, AttentionMap>} */
  const maps = new Map();
  for (const [at, rows] of positions.entries()) {
    for (const { name, row, keys, weights } of rows) {
      const encoder = name === 'encoder'; // whose rows are (heads, queries), all with the first position
      const index = encoder ? Math.floor(row / source) : row;
      const own = `${name} ${index}`;
      let map = maps.get(own);
      if (!map) {
        // The input is shifted by one: key j belongs to position j - 1.
        const [queries, seen] = [encoder ? count(source) : count(n), name === 'attention' ? count(n, -1) : count(source)];
        map = {
          name,
          layer: Math.floor(index / heads),
          head: index % heads,
          queries,
          keys: seen,
          weights: new Float32Array(queries.length * seen.length),
        };
        maps.set(own, map);
      }
      const first = (encoder ? row % source : at) * map.keys.length;
      for (let i = 0; i < keys.length; i++) map.weights[first + keys[i]] = weights[i];
    }
  }
  return [...maps.values()];
}
