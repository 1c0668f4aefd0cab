// SPDX-License-Identifier: MIT
// @ts-check

/** The ways to move a run on, a file each. The first that a message asks for is the one. */

import { constrained } from './constrained.js';
import { force } from './force.js';
import { notes } from './notes.js';
import { peek } from './peek.js';
import { sample } from './sample.js';
import { search } from './search.js';

/** @import { Core, Session } from '../core.js' */
/** @import { Credit } from '../tasks.js' */
/** @import { Alternatives, DrawMessage } from '../protocol.js' */

/** Positions that were drawn: see Core.draw. @typedef {ReturnType<Core['draw']> & { alternatives?: Alternatives }} Slice */

/**
 * @typedef {object} Stepper
 * @property {string} kind    of work; kinds differ in the time that a position takes
 * @property {number} first   positions of the very first slice
 * @property {boolean} single every step is one position
 * @property {(count: number) => Slice} step  moves on by at most so many positions
 */

/**
 * @param {Core} core
 * @param {Session} session
 * @param {DrawMessage} message
 * @param {Credit} credit  as it is whenever a step is made
 * @returns {Stepper}
 */
export function stepperOf(core, session, message, credit) {
  if (message.search !== undefined) return search(core, session, message.search);
  if (message.forced) return force(core, session, message.forced);
  if (message.notes) return notes(core, session, message.notes, message.known, message.alternatives ?? 0);
  if (message.constrained) return constrained(core, session, message.settings.logitBias ?? [], message.alternatives ?? 0, credit);
  if (message.alternatives) return peek(core, session, message.alternatives);
  return sample(core, session);
}
