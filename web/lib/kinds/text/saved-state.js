// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Saves the state of a text run as a part of the saved run. The main part of the state is the bytes of the engine's session. With a saved
 * state, a resumed run need not process its tokens again. The bytes are valid only for the same weight file and the same build of the
 * engine. A hash detects damage; nx_session_check decides whether the engine can continue from the bytes.
 */

import { classOf } from '../../base/realm.js';
import { NextPixelError } from '../../base/error.js';
import { inTurns } from '../../base/turns.js';

/** @import { KeptMessage, State } from '../../engine/protocol.js' */
/** @import { Link } from '../../workers/link.js' */

/**
 * A saved state. `bytes` come from the engine; IndexedDB and files preserve them, but JSON does not. `ids` are the tokens of the state: the
 * tokens that the model still sees, and possibly tokens that were drawn but not read yet. `hash` detects changes. The other fields identify
 * the models and builds for which the bytes are valid.
 *
 * @typedef {State & { hash: string }} SavedState
 */

const wrong = (/** @type {string} */ what) =>
  new NextPixelError('state', `The state of the saved run ${what}. Pass { ...saved, state: undefined } to read all tokens again`);

/**
 * Updates two hashes with words of 32 bits.
 * @param {[number, number]} hashes @param {ArrayLike<number>} words @returns {[number, number]}
 */
function hashed([a, b], words) {
  for (let i = 0; i < words.length; i++) {
    const one = a ^ Math.imul(words[i], 0xcc9e2d51);
    const two = b ^ Math.imul(words[i], 0x85ebca6b);
    a = (Math.imul((one << 13) | (one >>> 19), 5) + 0x6546b64) | 0;
    b = (Math.imul((two << 15) | (two >>> 17), 9) + 0x1b873593) | 0;
  }
  return [a, b];
}

/** Number of 32-bit words hashed between two yields to the event loop. A state can take a hundred megabytes. */
const STRETCH = 1 << 18;

/**
 * Computes two hashes of 32 bits, and returns both hashes as hexadecimal digits. Changing a single 32-bit word changes both hashes.
 *
 * @param {State} state
 * @returns {Generator<void, string, void>}
 * @internal
 */
export function* hashing({ bytes, ids, length, shape, layout }) {
  const whole = bytes.length & ~3;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, whole / 4);
  /** @type {[number, number]} */
  let hashes = [bytes.length, ids.length];
  for (let at = 0; at < words.length; at += STRETCH) {
    hashes = hashed(hashes, words.subarray(at, at + STRETCH));
    yield;
  }
  for (const part of [bytes.subarray(whole), ids, new TextEncoder().encode([length, shape, layout].join('\n'))])
    hashes = hashed(hashes, part);
  return hashes.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/**
 * Copies bytes in chunks. The copy can be transferred to the worker. Posting a message without a transfer would copy all bytes twice,
 * without yielding to the event loop.
 *
 * @param {Uint8Array} bytes
 * @returns {Generator<void, Uint8Array<ArrayBuffer>, void>}
 */
function* copying(bytes) {
  const copy = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += 4 * STRETCH) {
    copy.set(bytes.subarray(at, at + 4 * STRETCH), at);
    yield;
  }
  return copy;
}

/**
 * Returns the state of a finished run.
 *
 * @param {Link} link
 * @param {{ known: Uint32Array, keyBits?: number, of?: string }} run  known: the ids that the model saw; of: the hash of the state from
 * which the run continued
 * @returns {Promise<SavedState>}
 * @internal
 */
export async function stateOf(link, run) {
  const job = link.job();
  try {
    /** @type {KeptMessage} */
    const { state } = await job.ask({ type: 'keep', ...run });
    if (!state)
      throw new NextPixelError(
        'state',
        'The engine no longer has this run, or never had it (a run with a constraint): save it without its state',
      );
    return { ...state, hash: await inTurns(hashing(state)) };
  } finally {
    job.end();
  }
}

/**
 * Passes a state to the engine. The bytes are untrusted. They affect only runs that specify the hash of this state.
 *
 * @param {Link} link
 * @param {any} state  an untrusted value
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>} throws immediately if the value is not a state; rejects later if the state is damaged or belongs to another file
 * @internal
 */
export function restored(link, state, signal) {
  const { bytes, ids, length, shape, layout, hash } = state ?? {};
  if (classOf(bytes) !== 'Uint8Array' || !Array.isArray(ids) || !Array.from(ids).every(Number.isInteger))
    throw wrong('is not valid: its bytes must be a Uint8Array, which IndexedDB and files preserve, but JSON does not');
  if (![shape, layout, hash].every((value) => typeof value === 'string') || !Number.isInteger(length)) throw wrong('is damaged');
  const job = link.job(signal);
  const done = inTurns(copying(bytes), signal)
    .then(async (copy) => {
      const known = { bytes: copy, ids, length, shape, layout };
      if (hash !== (await inTurns(hashing(known), signal))) throw wrong('is damaged');
      return job.ask({ type: 'keep', known: new Uint32Array(0), state: { ...known, hash } }, [copy.buffer]);
    })
    .then(({ state: taken }) => {
      if (!taken) throw wrong('belongs to another weight file or another version of nextpixel');
    })
    .finally(() => job.end());
  done.catch(() => {}); // readers of the run receive the error
  return done;
}
