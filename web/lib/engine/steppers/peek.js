// SPDX-License-Identifier: MIT
// @ts-check

import { top } from '../distributions.js';
import { joinSlices } from './slices.js';

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Stepper } from './index.js' */

/**
 * Draws positions one by one, and reads the k most probable ids of each position before drawing it.
 *
 * @param {Sessions} sessions
 * @param {Session} session  a session of one sample
 * @param {number} k
 * @returns {Stepper}
 */
export function peek(sessions, session, k) {
  const step = (/** @type {number} */ count) => {
    const drawn = [];
    for (let i = 0; i < count; i++) {
      const alternatives = top(sessions, session, k);
      const one = sessions.draw(session, 1);
      const over = one.ids.length === 0;
      drawn.push(over ? one : { ...one, alternatives });
      if (over) break;
    }
    return joinSlices(drawn);
  };
  return { kind: 'peek', first: 1, single: false, step };
}
