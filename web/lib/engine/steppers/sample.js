// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Stepper } from './index.js' */

/**
 * Draws the next positions.
 *
 * @param {Sessions} sessions
 * @param {Session} session
 * @returns {Stepper}
 */
export function sample(sessions, session) {
  return { kind: `draw ${session.samples}`, first: 1, single: false, step: (count) => sessions.draw(session, count) };
}
