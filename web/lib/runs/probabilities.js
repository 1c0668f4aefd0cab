// SPDX-License-Identifier: MIT
// @ts-check

import { exp } from '../base/elementary.js';

/**
 * Converts the nats of all values at each position to probabilities, and sorts the probabilities by id.
 *
 * @param {{ ids: Uint32Array, nats: Float32Array }} tops  both lists have the shape (positions, values)
 * @param {number} count   number of positions to convert, starting with the first
 * @param {number} values  number of values of a position
 * @returns {Float32Array} shape (count, values)
 */
export function probabilitiesOf({ ids, nats }, count, values) {
  const probabilities = new Float32Array(count * values);
  for (let i = 0; i < probabilities.length; i++) probabilities[i - (i % values) + ids[i]] = exp(-nats[i]);
  return probabilities;
}

/**
 * Returns an object whose property `probabilities` has one distribution for each id of a step; the caller spreads this object into the
 * step. Returns undefined if the run did not request distributions.
 *
 * @param {Float32Array | undefined} all  shape (ids, values)
 * @param {number} index  index of the step's first id
 * @param {number} values
 * @param {number} [count]  number of ids
 */
export const probabilitiesAt = (all, index, values, count = 1) =>
  all && { probabilities: all.slice(index * values, (index + count) * values) };
