// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A piece of music that is built id by id. Whenever voices change, the ids of the new notes come first, from the highest voice to the
 * lowest, and the id of a wait follows. A note lasts until the next note or rest of its voice, or until the end.
 *
 * Some voices may be fixed: their notes are known in advance, and the other voices are drawn to fit them. A wait then never extends beyond
 * the next change of a fixed voice. At the time of this change, the fixed voice may only take its known note.
 */

/** @import { Alphabet } from './alphabet.js' */

/** A change of a fixed voice. @typedef {{ time: number, id: number }} Change */

/**
 * @typedef {object} Bounds
 * @property {number[]} voices    indices of the fixed voices
 * @property {Change[]} changes   the changes of the fixed voices, in order of time
 * @property {number} most        the last tick at which the piece may end
 * @property {boolean} whole      whether the piece must last until the tick `most`
 * @property {boolean} [parallels]  if false, no drawn voice moves in parallel fifths or octaves with a higher voice
 */

const FIFTH = 7;
const OCTAVE = 12;

/** @type {Bounds} */
export const UNBOUND = { voices: [], changes: [], most: Infinity, whole: false };

export class Piece {
  #alphabet;
  #bounds;
  /** The number of ticks that have passed. */
  time = 0;
  ended = false;
  /** The voice that changed most recently at the current tick; -1 if no voice has changed. */
  #moved = -1;
  /** Ticks of the preceding wait; 0 if the preceding id was not a wait. */
  #waited = 0;
  /** The most recent id of each voice; -1 if the voice has not sounded yet. @type {number[]} */
  sounding;
  /** The most recent id of each voice before the current tick. @type {number[]} */
  #before;
  /** Number of entries of `#bounds.changes` that the piece already contains. */
  #come = 0;

  /** @param {Alphabet} alphabet @param {Bounds} [bounds] */
  constructor(alphabet, bounds = UNBOUND) {
    this.#alphabet = alphabet;
    this.#bounds = bounds;
    this.sounding = alphabet.voices.map(() => -1);
    this.#before = [...this.sounding];
  }

  /** Appends the next id. @param {number} id */
  push(id) {
    const { ticks, voice } = this.#alphabet.said[id];
    this.#waited = ticks;
    if (ticks > 0) {
      this.time += ticks;
      this.#moved = -1;
      this.#before = [...this.sounding];
    } else if (voice >= 0) {
      this.sounding[voice] = id;
      this.#moved = voice;
    } else if (this.time > 0) {
      this.ended = true; // the end id is also the first id of a piece
    }
    if (this.#bounds.changes[this.#come]?.id === id && this.#bounds.changes[this.#come].time === this.time) this.#come++;
  }

  /**
   * Returns whether a voice would move in parallel fifths or octaves with a higher voice if it took this id.
   * @param {number} voice
   * @param {number} id
   */
  #parallel(voice, id) {
    const pitch = (/** @type {number} */ of) => this.#alphabet.said[of]?.pitch ?? 0;
    const [was, is] = [pitch(this.#before[voice]), pitch(id)];
    for (let v = 0; v < voice; v++) {
      const [other, now] = [pitch(this.#before[v]), pitch(this.sounding[v])];
      if (!was || !other || !now || (is - was) * (now - other) <= 0) continue;
      const distance = Math.abs(now - is) % OCTAVE;
      if ((distance === 0 || distance === FIFTH) && Math.abs(other - was) % OCTAVE === distance) return true;
    }
    return false;
  }

  /**
   * Returns the ids that may come next; there is at least one. No wait may extend beyond the next change of a fixed voice. `cut` lists the
   * waits that are too long. If the most probable wait in `cut` has a higher probability than the longest allowed wait, the stepper
   * (engine/steppers/notes.js) gives this higher probability to the longest allowed wait.
   *
   * @returns {{ ids: number[], cut: number[] }}
   */
  next() {
    const { said, voices, waits, end, longest } = this.#alphabet;
    const { voices: held, changes, most, whole, parallels = true } = this.#bounds;
    const change = changes[this.#come];
    const due = change?.time === this.time ? change : undefined;
    if (!due && this.time >= most) return { ids: [end], cut: [] };
    const until = due ? said[due.id].voice : voices.length;
    const ids = [];
    for (let v = this.#moved + 1; v < until; v++) {
      if (held.includes(v)) continue;
      const now = this.sounding[v];
      for (const id of voices[v].of.values()) if (id !== now && (parallels || !this.#parallel(v, id))) ids.push(id);
      if (now >= 0 && now !== voices[v].off && voices[v].off >= 0) ids.push(voices[v].off);
    }
    if (due) return { ids: [...ids, due.id], cut: [] };
    if (this.#waited > 0 && this.time > 0 && !whole && this.#come === changes.length) ids.push(end);
    const gap = Math.min(change?.time ?? Infinity, most) - this.time;
    if (this.#waited > 0 && this.#waited < longest && gap > 0 && ids.length > 0) return { ids, cut: [] };
    /** @type {number[]} */
    const cut = [];
    for (const [ticks, id] of waits) (ticks > gap ? cut : ids).push(id);
    return { ids, cut: gap <= longest ? cut : [] };
  }
}
