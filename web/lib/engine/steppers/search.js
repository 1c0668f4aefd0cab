// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Core, Session } from '../core.js' */
/** @import { Stepper } from './index.js' */

/**
 * Searches by beams, which the samples are: a position at a time.
 *
 * @param {Core} core
 * @param {Session} session
 * @param {number} alpha  of the length penalty
 * @returns {Stepper}
 */
export function search(core, session, alpha) {
  return { kind: 'search', first: 1, single: true, step: () => core.search(session, alpha) };
}
