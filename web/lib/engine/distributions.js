// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Reads the model's own distributions at a position, before temperature and filters. The engine functions that this module calls are
 * missing from a build that supports only pictures.
 */

import { NX_MORE, NX_NONE } from './abi.js';
import { checkStatus, statusError } from './status-error.js';

/** @import { Session, Sessions } from './sessions.js' */

/**
 * Returns the most probable ids of the next position in the model's own distribution, without drawing an id. The next draw reuses the
 * computed logits.
 *
 * @param {Sessions} sessions
 * @param {Session} session
 * @param {number} k
 * @returns {{ ids: Uint32Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer> }} both of shape (samples, k), the most probable id first
 */
export function top(sessions, session, k) {
  const count = k * session.samples;
  if (count > sessions.room) throw new RangeError(`${k} ids of ${session.samples} samples are too many`);
  let status = NX_MORE;
  while (status === NX_MORE) status = sessions.call('nx_session_top', session, k, sessions.ids, sessions.floatsAt);
  if (status < 0) throw statusError(status, `Looking at position ${sessions.position(session)}`);
  return { ids: sessions.instance.words(sessions.ids, count), nats: sessions.instance.floats(sessions.floatsAt, count) };
}

/**
 * Returns the model's own distributions at the last drawn position, for each sample and each id of the position; zeros if the sample had
 * already ended.
 *
 * @param {Sessions} sessions
 * @param {Session} session
 * @param {Uint32Array} ids  shape (samples, span): the ids of the position
 * @returns {Float32Array<ArrayBuffer>} shape (samples, span, values)
 */
export function probabilities(sessions, session, ids) {
  const {
    samples,
    part: { span, values },
  } = session;
  const all = new Float32Array(samples * span * values);
  const address = sessions.instance.take(4 * values);
  try {
    for (let i = 0; i < ids.length; i++) {
      if (ids[i] === NX_NONE) continue;
      checkStatus(sessions.call('nx_session_probabilities', session, Math.floor(i / span), i % span, address), 'Reading the probabilities');
      all.set(sessions.instance.floats(address, values), i * values);
    }
  } finally {
    sessions.instance.heap.free(address);
  }
  return all;
}
