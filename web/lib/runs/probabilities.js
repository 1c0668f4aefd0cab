// SPDX-License-Identifier: MIT
// @ts-check

import { exp } from '../base/elementary.js';

/**
 * The most probable ids in their order, as probabilities by id.
 *
 * @param {{ ids: Uint32Array, nats: Float32Array }} tops  (positions, values)
 * @param {number} count   of positions, the first ones
 * @param {number} values  of a position
 * @returns {Float32Array} (count, values)
 */
export function probabilitiesOf({ ids, nats }, count, values) {
  const probabilities = new Float32Array(count * values);
  for (let i = 0; i < probabilities.length; i++) probabilities[i - (i % values) + ids[i]] = exp(-nats[i]);
  return probabilities;
}

/**
 * The distribution of one of the ids that a step has, as a member of its own step; nothing where the run was not asked for them.
 *
 * @param {Float32Array | undefined} all  (ids, values)
 * @param {number} index  of the id
 * @param {number} values
 * @param {number} [count]  of ids
 */
export const probabilitiesAt = (all, index, values, count = 1) =>
  all && { probabilities: all.slice(index * values, (index + count) * values) };
