// SPDX-License-Identifier: MIT
// @ts-check

import { CANDIDATE_WORDS, NX_MORE } from '../abi.js';
import { statusError } from '../status-error.js';

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Stepper } from './index.js' */

/**
 * A beam search, one position per step. The samples are the beams. The `ids` of a step contain the candidates of the step, each as the five
 * 32-bit words of an nx_candidate. `ended` is true after the last step.
 *
 * @param {Sessions} sessions
 * @param {Session} session
 * @param {number} alpha  exponent of the length penalty
 * @returns {Stepper}
 */
export function search(sessions, session, alpha) {
  const step = () => {
    const result = sessions.instance.at.result;
    const status = sessions.call('nx_session_search', session, alpha, sessions.ids, result, result + 4);
    if (status < 0) throw statusError(status, `Searching position ${sessions.position(session)}`);
    const more = status === NX_MORE; // the position needs another step
    const ids = sessions.instance.words(sessions.ids, more ? 0 : CANDIDATE_WORDS * sessions.instance.word(result));
    return {
      ids,
      nats: new Float32Array(0),
      ahead: new Uint8Array(more ? 0 : 1),
      ended: !more && sessions.instance.word(result + 4) === 1,
    };
  };
  return { kind: 'search', first: 1, single: true, step };
}
