// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The steppers. Each stepper is one way to advance a run, and has its own file. If a message requests several steppers, plainStepperOf()
 * uses the one that it checks first.
 *
 * The files of all steppers are part of worker.js, even those that only one kind of model uses. If the worker fetched a stepper from a
 * separate file, that file would be missing wherever worker.js is served alone (workerUrl, a Blob, the build in one file). A page's
 * script-src policy could also block it. In both cases, the model could not be run at all.
 */

import { constrained } from './constrained.js';
import { force } from './force.js';
import { notes } from './notes.js';
import { peek } from './peek.js';
import { sample } from './sample.js';
import { search } from './search.js';
import { spread } from './spread.js';

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Race } from '../race.js' */
/** @import { Credit } from '../work.js' */
/** @import { Alternatives, DrawMessage } from '../protocol.js' */

/**
 * Drawn positions, in the form that Sessions.draw returns.
 * @typedef {ReturnType<Sessions['draw']> & { alternatives?: Alternatives, probabilities?: Float32Array<ArrayBuffer> }} Slice
 */

/**
 * @typedef {object} Stepper
 * @property {string} kind    kind of work, because the time per position depends on the kind
 * @property {number} first   number of positions in the first chunk
 * @property {boolean} single whether every step consists of one position
 * @property {(count: number) => Slice} step  advances by at most `count` positions
 */

/**
 * @param {Sessions} sessions
 * @param {Session} session
 * @param {DrawMessage} message
 * @param {Credit} credit  updated before every step
 * @param {Race} race      compares the speed of speculative decoding with the speed of one position per pass
 * @returns {Stepper}
 */
export function stepperOf(sessions, session, message, credit, race) {
  const stepper = plainStepperOf(sessions, session, message, credit, race);
  return message.probabilities ? spread(sessions, session, stepper) : stepper;
}

/** @type {typeof stepperOf} */
function plainStepperOf(sessions, session, message, credit, race) {
  if (message.search !== undefined) return search(sessions, session, message.search);
  if (message.forced) return force(sessions, session, message.forced);
  if (message.notes) return notes(sessions, session, message.notes, message.known, message.alternatives ?? 0);
  if (message.constrained) return constrained(sessions, session, message.settings.logitBias ?? [], message.alternatives ?? 0, credit);
  if (message.alternatives) return peek(sessions, session, message.alternatives);
  return sample(sessions, session, message, race);
}
