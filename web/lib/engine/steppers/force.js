// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Stepper } from './index.js' */

/**
 * "Draws" ids that are known in advance.
 *
 * @param {Sessions} sessions
 * @param {Session} session  a session of one sample
 * @param {Uint32Array} ids  all ids of the run
 * @returns {Stepper}
 */
export function force(sessions, session, ids) {
  const step = (/** @type {number} */ count) => {
    const at = sessions.position(session);
    const some = ids.slice(at, at + count);
    return { ids: some, nats: sessions.put(session, some, true), ahead: new Uint8Array(some.length), ended: false };
  };
  return { kind: 'force', first: 32, single: false, step };
}
