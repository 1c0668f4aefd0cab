// SPDX-License-Identifier: MIT
// @ts-check

/** @import { MapRow } from '../engine/protocol.js' */

/**
 * The attention weights of one head of a layer, for one or more queries. Queries and keys are positions, counted from 0; key -1 is the
 * start, which precedes all positions. A query is the position of a predicted value: a token (its index in `run.ids`), a pixel or channel
 * (in raster order, as in `model.order`), a word, or an event of a piece of music (such as a note or a wait). In a model that draws from a
 * latent, a query is a location in a square grid, counted row by row. The property `name` determines whether a key is an earlier position
 * or an item of the input. Such an item is a pixel of the small picture, a location of the captioned picture (counted row by row, as in
 * `run.grid`), or an example (in the order of `support`).
 *
 * @typedef {object} AttentionMap
 * @property {string} name           'attention': attention to earlier positions; 'source': attention to the source sentence, or to the
 *   small picture; 'encoder': attention within the source sentence; 'image': attention to the captioned picture; 'place': the only location
 *   of the captioned picture that was attended to; 'field': the positions whose values can change the prediction; 'centre': the centre of
 *   local attention (if it lies between two tokens, both have a weight); 'alone': for attention to segments, the probability that each
 *   token would have without its neighbours
 * @property {number} layer          from 0
 * @property {number} head           index of the head in its layer, from 0
 * @property {Int32Array} queries    one query for each row of the weights
 * @property {Int32Array} keys       one key for each column
 * @property {Float32Array} weights  shape (queries, keys), row-major; 0 where a query does not attend to a key. Each row adds up to 1,
 *   unless part of the weight is on something that is not a key. See also `alignment` of a translation
 */

/**
 * Returns the attention map of one query.
 *
 * @param {Omit<MapRow, 'keys'> & { keys: ArrayLike<number> }} row
 * @param {number} heads  heads per layer; 0: the model has no heads, and each row is a layer
 * @param {number} query
 * @param {(key: number) => number} [place]  maps a key to its position
 * @returns {AttentionMap}
 * @internal
 */
export function mapOf({ name, row, keys, weights }, heads, query, place = (key) => key) {
  const each = heads || 1;
  const [queries, seen] = [Int32Array.of(query), Int32Array.from(keys, (key) => place(key))];
  return { name, layer: Math.floor(row / each), head: row % each, queries, keys: seen, weights };
}

/**
 * Returns the position of a key in a map of attention to earlier positions. The model's input is shifted by one, so key j is the element at
 * position j - 1.
 * @param {number} key
 * @internal
 */
export const before = (key) => key - 1;
