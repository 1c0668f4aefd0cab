// SPDX-License-Identifier: MIT
// @ts-check

/** Frames a second, in which loudness is measured. */
const FRAMES = 20;
/** Softer than this share of the loudest frame so far is quiet. */
const SHARE = 0.2;

/** Tells when a sound has become quiet and stayed so for some time, which a model that misses its end may do for good. */
export class Quiet {
  #frame;
  #most;
  #loudest = 0;
  #count = 0;
  #energy = 0;
  #filled = 0;

  /** @param {number} rate samples a second @param {number} seconds of quiet, at least a twentieth; 0: it never tells */
  constructor(rate, seconds) {
    this.#frame = Math.round(rate / FRAMES);
    this.#most = seconds > 0 ? Math.max(1, Math.round(seconds * FRAMES)) : Infinity;
  }

  /** @param {ArrayLike<number>} samples that come next @returns {number} the number of them until it has been quiet long enough; -1: it has not */
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
