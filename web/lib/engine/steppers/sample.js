// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Stepper } from './index.js' */

/** @import { DrawMessage } from '../protocol.js' */
/** @import { Race } from '../race.js' */

/**
 * Draws the next positions, with or without speculative decoding; by default uses the faster method.
 *
 * @param {Sessions} sessions
 * @param {Session} session
 * @param {DrawMessage} message
 * @param {Race} race  compares the speed of speculative decoding with the speed of one position per pass, for this model
 * @returns {Stepper}
 */
export function sample(sessions, session, { settings, maps, probabilities }, race) {
  const open = settings.lookAhead === undefined && session.part.draft && session.samples === 1 && !maps && !probabilities;
  let ahead = false; // whether the session uses speculative decoding at present
  /** @param {number} count */
  const either = (count) => {
    if (race.next() !== ahead && sessions.lookAhead(session, settings, !ahead)) ahead = !ahead;
    return race.time(
      ahead,
      () => sessions.draw(session, count),
      ({ nats }) => nats.length,
    );
  };
  return { kind: `draw ${session.samples}`, first: 1, single: false, step: open ? either : (count) => sessions.draw(session, count) };
}
