// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Core, Session } from '../core.js' */
/** @import { Credit } from '../tasks.js' */
/** @import { Stepper } from './index.js' */

/**
 * Draws one position of the ids that the page allows.
 *
 * @param {Core} core
 * @param {Session} session  of one sample, masked
 * @param {[number, number][]} biases  of the run
 * @param {number} k         so many of the most probable ids are told
 * @param {Credit} credit
 * @returns {Stepper}
 */
export function constrained(core, session, biases, k, credit) {
  const step = () => {
    core.mask(session, credit.allowed, biases);
    const alternatives = k > 0 ? core.top(session, k) : undefined;
    return { ...core.draw(session, 1), alternatives };
  };
  return { kind: 'constrained', first: 1, single: true, step };
}
