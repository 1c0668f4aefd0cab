// SPDX-License-Identifier: MIT
// @ts-check

import { argumentError } from '../base/error.js';

/** Options of score() that may be a list of numbers, one per input. */
const NUMBERED = ['label', 'speaker'];

/**
 * Scores many inputs in parallel, using all workers of a model.
 *
 * @param {(input: unknown, options: object) => Promise<unknown>} score
 * @param {number} workers
 * @param {unknown[]} inputs
 * @param {Record<string, any>} options  if an option is a list, it has one value per input
 */
export async function scoreAll(score, workers, inputs, options) {
  const lists = Object.entries(options).filter(
    ([name, value]) => Array.isArray(value) && (typeof value[0] !== 'number' || NUMBERED.includes(name)),
  );
  for (const [name, { length }] of lists)
    if (length !== inputs.length)
      throw argumentError(`score() has ${inputs.length} inputs, and the list ${name} has ${length}: give one for each`);
  /** @type {unknown[]} */
  const scores = new Array(inputs.length);
  let next = 0;
  const one = async () => {
    while (next < inputs.length) {
      const i = next++;
      try {
        scores[i] = await score(inputs[i], { ...options, ...Object.fromEntries(lists.map(([name, list]) => [name, list[i]])) });
      } catch (error) {
        next = inputs.length; // stops all other loops, too
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, one));
  return scores;
}
