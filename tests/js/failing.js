// SPDX-License-Identifier: MIT
// @ts-check

/** Failing callbacks, for testing the methods that call them. */

import assert from 'node:assert/strict';

import { isError, sleep } from './helpers.js';

/** The error that a callback throws. */
export const own = new RangeError('mine');
/** The ways in which a callback can fail. @type {Record<string, () => any>} */
export const WAYS = {
  'throws at once': () => {
    throw own;
  },
  'is asynchronous': async () => {
    throw own;
  },
  'is asynchronous and waits for a moment': async () => {
    for (let i = 0; i < 5; i++) await undefined;
    throw own;
  },
  'returns an object with then()': () => ({
    then: (/** @type {unknown} */ _, /** @type {(reason: unknown) => void} */ failed) => failed(own),
  }),
};

/**
 * Checks a callback that must answer synchronously: an error reaches the caller; a promise, or a value of another type, is refused.
 *
 * @param {(callback: () => any) => Promise<unknown>} call  calls the method with the callback
 */
export async function answersAtOnce(call) {
  const [atOnce, ...later] = Object.values(WAYS);
  await assert.rejects(call(atOnce), (error) => error === own);
  for (const answer of [...later, () => Promise.resolve('a'), () => 5, () => null, () => ({}), () => ({ data: 5 })]) {
    await assert.rejects(call(answer), isError('argument', /synchronously/));
    await sleep(5);
  }
}
