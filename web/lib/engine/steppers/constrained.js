// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Credit } from '../work.js' */
/** @import { Stepper } from './index.js' */

/**
 * Draws one position from the ids that the page allows.
 *
 * @param {Sessions} sessions
 * @param {Session} session  a masked session of one sample
 * @param {[number, number][]} biases  the biases of the run
 * @param {number} k         number of most probable ids to report
 * @param {Credit} credit
 * @returns {Stepper}
 */
export function constrained(sessions, session, biases, k, credit) {
  const step = () => {
    sessions.mask(session, credit.allowed, biases);
    const alternatives = k > 0 ? sessions.top(session, k) : undefined;
    return { ...sessions.draw(session, 1), alternatives };
  };
  return { kind: 'constrained', first: 1, single: true, step };
}
