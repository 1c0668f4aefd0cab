// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Core, Session } from '../core.js' */
/** @import { Stepper } from './index.js' */

/**
 * Draws the next positions.
 *
 * @param {Core} core
 * @param {Session} session
 * @returns {Stepper}
 */
export function sample(core, session) {
  return { kind: `draw ${session.samples}`, first: 1, single: false, step: (count) => core.draw(session, count) };
}
