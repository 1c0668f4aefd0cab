// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Core, Session } from '../core.js' */
/** @import { Stepper } from './index.js' */

/**
 * "Draws" ids that are known.
 *
 * @param {Core} core
 * @param {Session} session  of one sample
 * @param {Uint32Array} ids  all of the run
 * @returns {Stepper}
 */
export function force(core, session, ids) {
  const step = (/** @type {number} */ count) => {
    const at = core.position(session);
    const some = ids.slice(at, at + count);
    return { ids: some, nats: core.put(session, some, true), ahead: new Uint8Array(some.length), ended: false };
  };
  return { kind: 'force', first: 32, single: false, step };
}
