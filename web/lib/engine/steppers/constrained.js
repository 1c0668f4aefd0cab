// SPDX-License-Identifier: MIT
// @ts-check

import { NX_MOST_BIAS } from '../abi.js';
import { top } from '../distributions.js';

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Credit } from '../work.js' */
/** @import { Stepper } from './index.js' */

/**
 * Draws one position, using only ids that the page allows.
 *
 * @param {Sessions} sessions
 * @param {Session} session  a session of one sample, opened with `masked`
 * @param {[number, number][]} biases  the biases of the run
 * @param {number} k         number of most probable ids to report
 * @param {Credit} credit
 * @returns {Stepper}
 */
export function constrained(sessions, session, biases, k, credit) {
  const step = () => {
    mask(sessions, session, credit.allowed, biases);
    const alternatives = k > 0 ? top(sessions, session, k) : undefined;
    return { ...sessions.draw(session, 1), alternatives };
  };
  return { kind: 'constrained', first: 1, single: true, step };
}

/**
 * From now on, allows only the ids whose bit is 1, or all ids if `allowed` is undefined.
 *
 * @param {Sessions} sessions
 * @param {Session} session  opened with capacity to bias every id
 * @param {Uint32Array | undefined} allowed  an id is allowed if bit id % 32 of word floor(id / 32) is 1
 * @param {[number, number][]} biases  pairs of an id and the value to add to its logit
 */
function mask(sessions, session, allowed, biases) {
  const { values } = session.part;
  const ids = new Uint32Array(biases.length + values);
  const numbers = new Float32Array(ids.length);
  let count = 0;
  const add = (/** @type {number} */ id, /** @type {number} */ bias) => {
    ids[count] = id;
    numbers[count++] = bias;
  };
  for (const [id, bias] of biases) add(id, bias);
  for (let id = 0; allowed && id < values; id++) {
    if (!((allowed[id >>> 5] >>> (id & 31)) & 1)) add(id, -NX_MOST_BIAS);
  }
  sessions.biasIds(session, ids.subarray(0, count), numbers.subarray(0, count));
}
