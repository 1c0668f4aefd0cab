// SPDX-License-Identifier: MIT
// @ts-check

import { probabilities } from '../distributions.js';
import { joinSlices } from './slices.js';

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Stepper } from './index.js' */

/** Maximum number of probabilities in one chunk; they take 4 MB. */
const MOST = 1 << 20;

/**
 * Wraps another stepper: advances one position at a time, and also reads the whole distribution from which each id was drawn.
 *
 * @param {Sessions} sessions
 * @param {Session} session
 * @param {Stepper} stepper
 * @returns {Stepper}
 */
export function spread(sessions, session, stepper) {
  const {
    samples,
    part: { span, values },
  } = session;
  const most = Math.max(1, Math.floor(MOST / (samples * span * values)));
  const step = (/** @type {number} */ count) => {
    const drawn = [];
    for (let i = 0; i < Math.min(count, most); i++) {
      const one = stepper.step(1);
      drawn.push(one.ids.length > 0 ? { ...one, probabilities: probabilities(sessions, session, one.ids) } : one);
      if (one.ended || one.ids.length === 0) break; // the sample has ended, or the position needs another chunk
    }
    return joinSlices(drawn);
  };
  return { ...stepper, kind: `${stepper.kind} spread`, step };
}
