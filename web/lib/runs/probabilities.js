// SPDX-License-Identifier: MIT
// @ts-check

import { exp } from '../base/elementary.js';

/**
 * Converts nats to probabilities, in the order of the ids.
 *
 * @param {{ ids: Uint32Array, nats: Float32Array }} tops  (positions, values)
 * @param {number} count   number of positions to convert, from the first
 * @param {number} values  number of values of a position
 * @returns {Float32Array} (count, values)
 */
export function probabilitiesOf({ ids, nats }, count, values) {
  const probabilities = new Float32Array(count * values);
  for (let i = 0; i < probabilities.length; i++) probabilities[i - (i % values) + ids[i]] = exp(-nats[i]);
  return probabilities;
}

/**
 * Returns the distribution at one id of a step as a property for that id's own step; an empty object if the run did not request
 * distributions.
 *
 * @param {Float32Array | undefined} all  (ids, values)
 * @param {number} index  index of the id
 * @param {number} values
 * @param {number} [count]  number of ids
 */
export const probabilitiesAt = (all, index, values, count = 1) =>
  all && { probabilities: all.slice(index * values, (index + count) * values) };
