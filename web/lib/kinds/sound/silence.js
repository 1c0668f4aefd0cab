// SPDX-License-Identifier: MIT
// @ts-check

/** Number of frames per second; the loudness is measured for each frame. */
const FRAMES = 20;
/** A frame softer than this fraction of the loudest frame so far counts as silence. */
const SHARE = 0.2;

/** Detects when a sound has been silent for a given time. A model that fails to end a sound may draw silence forever. */
export class Silence {
  #frame;
  #most;
  #loudest = 0;
  #count = 0;
  #energy = 0;
  #filled = 0;

  /** @param {number} rate samples per second @param {number} seconds  length of the silence, at least 0.05; 0: no silence is detected */
  constructor(rate, seconds) {
    this.#frame = Math.round(rate / FRAMES);
    this.#most = seconds > 0 ? Math.max(1, Math.round(seconds * FRAMES)) : Infinity;
  }

  /**
   * @param {ArrayLike<number>} samples the next samples of the sound
   * @returns {number} number of these samples after which the silence is long enough; -1 if the silence is not long enough yet
   */
  until(samples) {
    for (let i = 0; i < samples.length; i++) {
      this.#energy += samples[i] ** 2;
      if (++this.#filled < this.#frame) continue;
      this.#loudest = Math.max(this.#loudest, this.#energy);
      this.#count = this.#energy < SHARE ** 2 * this.#loudest ? this.#count + 1 : 0;
      this.#energy = this.#filled = 0;
      if (this.#count >= this.#most) return i + 1;
    }
    return -1;
  }
}
