// SPDX-License-Identifier: MIT
// @ts-check

/** The alphabet of a music model: for each id, the number of ticks that pass, the voice and the pitch. */

import { argumentError } from '../../base/error.js';

/**
 * The meaning of an id. A wait lets ticks pass. An id with a voice and a pitch begins a note; an id with a voice and no pitch turns the
 * voice off. The id that ends a piece has neither ticks nor a voice.
 *
 * @typedef {{ ticks: number, voice: number, pitch: number }} Said  voice: from 0, or -1 for none; pitch: MIDI note number, or 0 for none
 */

/**
 * @typedef {{ name: string, low: number, high: number, off: number, of: Map<number, number> }} Voice  off: the id that turns the voice off;
 * of: the id of each pitch
 */

export class Alphabet {
  /** The meaning of each id. @type {Said[]} */
  said;
  /** The voices, from the highest to the lowest. @type {Voice[]} */
  voices;
  /** The ids of waits, by their lengths in ticks. @type {Map<number, number>} */
  waits = new Map();
  /** Length of the longest wait in ticks. */
  longest = 0;
  end = 0;

  /**
   * @param {Said[]} said
   * @param {string[]} [names]  names of the voices
   */
  constructor(said, names = []) {
    this.said = said;
    const count = Math.max(0, ...this.said.map(({ voice }) => voice + 1));
    this.voices = Array.from({ length: count }, (_, v) => ({
      name: names[v] ?? `voice ${v + 1}`,
      low: Infinity,
      high: -Infinity,
      off: -1,
      of: new Map(),
    }));
    for (const [id, { ticks, voice, pitch }] of this.said.entries()) {
      if (voice >= 0 && pitch > 0) this.#add(this.voices[voice], pitch, id);
      else if (voice >= 0) this.voices[voice].off = id;
      else if (ticks > 0) this.waits.set(ticks, id);
      else this.end = id;
    }
    this.longest = Math.max(...this.waits.keys());
  }

  /** @param {Voice} voice @param {number} pitch @param {number} id */
  #add(voice, pitch, id) {
    voice.of.set(pitch, id);
    voice.low = Math.min(voice.low, pitch);
    voice.high = Math.max(voice.high, pitch);
  }

  /** Returns the ids of waits that add up to a number of ticks, the longest wait first. @param {number} ticks */
  wait(ticks) {
    const sizes = [...this.waits.keys()].sort((a, b) => b - a);
    const ids = [];
    for (let left = ticks; left > 0; ) {
      const size = sizes.find((most) => most <= left);
      if (!size) throw argumentError(`The model has no wait of ${left} ${left === 1 ? 'tick' : 'ticks'}`);
      ids.push(/** @type {number} */ (this.waits.get(size)));
      left -= size;
    }
    return ids;
  }
}

const NAMES = ['C', 'C♯', 'D', 'E♭', 'E', 'F', 'F♯', 'G', 'A♭', 'A', 'B♭', 'B'];

/** @param {number} pitch  MIDI note number @returns {string} such as 'C4' for 60 */
export function pitchName(pitch) {
  return `${NAMES[pitch % 12]}${Math.floor(pitch / 12) - 1}`;
}
