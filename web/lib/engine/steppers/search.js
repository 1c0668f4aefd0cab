// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Stepper } from './index.js' */

/**
 * A beam search, one position per step. The samples are the beams.
 *
 * @param {Sessions} sessions
 * @param {Session} session
 * @param {number} alpha  exponent of the length penalty
 * @returns {Stepper}
 */
export function search(sessions, session, alpha) {
  return { kind: 'search', first: 1, single: true, step: () => sessions.search(session, alpha) };
}
