// SPDX-License-Identifier: MIT
// @ts-check

import { before, mapOf } from '../../runs/attention-map.js';

/** @import { MapRow } from '../../engine/protocol.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */

/**
 * Returns the function that converts a key to a position. The keys of the map 'attention' are converted to positions in the translation or
 * in the text. For other maps, returns undefined, because their keys are tokens of the source sentence and need no conversion.
 * @param {MapRow} row
 */
const placeOf = ({ name }) => (name === 'attention' ? before : undefined);

/**
 * Returns the maps of one position, without the maps of the encoder.
 *
 * @param {MapRow[]} rows
 * @param {number} heads  heads per layer
 * @param {number} query  position of the query
 * @returns {AttentionMap[]}
 */
export const mapsAt = (rows, heads, query) =>
  rows.filter(({ name }) => name !== 'encoder').map((row) => mapOf(row, heads, query, placeOf(row)));

/**
 * Joins the rows of all positions into maps, one for each head.
 *
 * @param {MapRow[][]} positions
 * @param {number} heads   heads per layer
 * @param {number} source  number of tokens of the source sentence; 0 for a model that does not translate
 * @returns {AttentionMap[]}
 */
export function mapsOf(positions, heads, source) {
  const n = positions.length;
  const count = (/** @type {number} */ k, first = 0) => Int32Array.from({ length: k }, (_, i) => i + first);
  /** @type {Map<string, AttentionMap>} */
  const maps = new Map();
  for (const [at, rows] of positions.entries()) {
    for (const { name, row, keys, weights } of rows) {
      const encoder = name === 'encoder'; // the first position has all rows of the encoder, in shape (heads, queries)
      const index = encoder ? Math.floor(row / source) : row;
      const own = `${name} ${index}`;
      let map = maps.get(own);
      if (!map) {
        const [queries, seen] = [encoder ? count(source) : count(n), name === 'attention' ? count(n, -1) : count(source)];
        map = { ...mapOf({ name, row: index, keys: seen, weights: new Float32Array(queries.length * seen.length) }, heads, 0), queries };
        maps.set(own, map);
      }
      const first = (encoder ? row % source : at) * map.keys.length;
      for (let i = 0; i < keys.length; i++) map.weights[first + keys[i]] = weights[i];
    }
  }
  return [...maps.values()];
}
