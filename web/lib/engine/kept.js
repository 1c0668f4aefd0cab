// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Caches the sessions of finished runs. If a new run begins with the same ids as a cached session, the run continues from that session and
 * processes only the remaining ids. The results are bit-identical to those of a run without the cache.
 *
 * The last session is always cached: WebAssembly memory never shrinks, so dropping the session would free nothing. Up to three earlier
 * sessions are cached as well, as long as all cached sessions together take at most 128 MB.
 */

/** @import { Session, Sessions } from './sessions.js' */
/** @import { DrawMessage, KeepMessage, State } from './protocol.js' */

const MOST = 4;
export const MOST_BYTES = 128e6;

/**
 * The largest number of ids that a run drops from a cached session without copying the session first. To drop more ids, the run continues
 * from a copy of the session if there is enough memory for the copy.
 */
const FEW = 16;

/** @typedef {{ session: Session, ids: number[], shape: string, layout: string, of?: string }} Held  shape: a run may continue from a copy
 * of the session if the run has this shape; layout: to continue the session in place, the run must also have this layout; of: the hash of
 * the saved state from which the session came, if any. A saved state may contain anything, so a session from a saved state is used only by
 * runs whose message contains the hash of this state */

/** @param {Pick<DrawMessage, 'part' | 'keyBits'>} message */
const shapeOf = ({ part, keyBits }) => `${part} ${keyBits}`;
/** @param {DrawMessage} message */
const layoutOf = ({ maps, settings: { logitBias, origin = 0, first = 0 } }) =>
  `${Boolean(maps)} ${logitBias?.length ?? 0} ${origin} ${first}`;

/** Returns the length of the common prefix of two lists. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function alike(a, b) {
  const most = Math.min(a.length, b.length);
  let n = 0;
  while (n < most && a[n] === b[n]) n++;
  return n;
}

export class KeptSessions {
  #sessions;
  /** The cached sessions in order of use, the latest last. @type {Held[]} */
  #held = [];

  /** @param {Sessions} sessions */
  constructor(sessions) {
    this.#sessions = sessions;
  }

  /** Returns the total size of the sessions in bytes. */
  get bytes() {
    return this.#held.reduce((sum, { session }) => sum + session.bytes, 0);
  }

  /**
   * Returns a session that already contains the first ids of a run: the cached session with the longest common prefix, or a copy of it. The
   * session's position is the number of reused ids.
   *
   * @param {DrawMessage} message
   * @returns {Session | undefined}
   */
  take(message) {
    const { best, common } = this.#find(message, message.state);
    if (!best) return undefined;
    const lost = best.ids.length - common;
    const fits = best.layout === layoutOf(message);
    const copy = lost > FEW || !fits ? this.#copy(best, message, common) : undefined;
    return copy ?? (fits && lost <= Math.max(FEW, common) ? this.#inPlace(best, message, common) : undefined);
  }

  /** Finds the cached session with the longest common prefix. @param {Pick<DrawMessage, 'part' | 'keyBits' | 'known'>} message
   * @param {string} [of]  hash of a saved state, if the run gives one */
  #find(message, of) {
    const shape = shapeOf(message);
    /** @type {Held | undefined} */
    let best;
    let common = 0;
    for (const held of this.#held) {
      if (held.of !== undefined && held.of !== of) continue;
      const n = held.shape === shape ? alike(held.ids, message.known) : 0;
      if (n > 0 && n >= common) [best, common] = [held, n];
    }
    return { best, common };
  }

  /**
   * Caches the saved state of the message, if the message has one. Otherwise, returns a copy of the cached session that contains all ids of
   * the message.
   *
   * @param {KeepMessage} message
   * @returns {State | undefined}  if the message has a saved state: this state, or undefined if the state belongs to another file or build
   */
  keep(message) {
    if (message.state) {
      const { bytes, length, hash, ...rest } = message.state;
      const session = this.#sessions.restore(bytes, length);
      if (!session) return undefined;
      this.#add({ session, ...rest, of: hash });
      return message.state;
    }
    const { best, common } = this.#find(message, message.of);
    if (common < message.known.length) return undefined;
    const { session, of, ...rest } = /** @type {Held} */ (best);
    return { ...rest, length: session.length, bytes: this.#sessions.bytesOf(session) };
  }

  /**
   * Continues a cached session in place; returns undefined if the part cannot rewind that far.
   * @param {Held} held
   * @param {DrawMessage} message
   * @param {number} position
   */
  #inPlace(held, { settings, maps }, position) {
    this.#held.splice(this.#held.indexOf(held), 1);
    try {
      this.#sessions.rewind(held.session, position, settings, maps);
    } catch (error) {
      this.#sessions.closeSession(held.session);
      if (/** @type {any} */ (error).code !== 'argument') throw error;
      return undefined;
    }
    return held.session;
  }

  /**
   * Copies a session, so that both the original and the copy can be continued. Returns undefined if two sessions take too much memory, or
   * if the part cannot rewind that far.
   *
   * @param {Held} held
   * @param {DrawMessage} message
   * @param {number} position
   */
  #copy({ session }, { settings, part, maps, keyBits }, position) {
    if (2 * session.bytes > MOST_BYTES) return undefined;
    try {
      return this.#sessions.branch(session, position, settings, { part, maps, keyBits });
    } catch (error) {
      if (!['memory', 'argument'].includes(/** @type {any} */ (error).code)) throw error;
      return undefined;
    }
  }

  /**
   * Caches a session, and drops the oldest sessions if there are too many.
   *
   * @param {Session} session
   * @param {number[]} ids  the ids that the session contains
   * @param {DrawMessage} message  the message that started the run of the session
   */
  add(session, ids, message) {
    this.#add({ session, ids, shape: shapeOf(message), layout: layoutOf(message), of: message.state });
  }

  /** @param {Held} held */
  #add(held) {
    this.#held.push(held);
    while (this.#held.length > MOST || (this.#held.length > 1 && this.bytes > MOST_BYTES)) this.#drop();
  }

  /** Frees all cached sessions. @returns {boolean} whether there were any */
  clear() {
    const any = this.#held.length > 0;
    while (this.#held.length > 0) this.#drop();
    return any;
  }

  /**
   * Runs a function that allocates memory. If the memory is too small, frees the cached sessions and tries again.
   *
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  withRoom(work) {
    try {
      return work();
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'memory' || !this.clear()) throw error;
      return work();
    }
  }

  #drop() {
    const [{ session }] = this.#held.splice(0, 1);
    this.#sessions.closeSession(session);
  }
}
