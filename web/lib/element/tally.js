// SPDX-License-Identifier: MIT
// @ts-check

/** Adds up the nats of each picture of a run, or of the run's text. If several samples compete for one picture, counts only the first of
 * them. */
export class Tally {
  #tries;
  /** The cost of each picture in nats. @type {number[]} */
  nats;
  /** The number of steps so far. */
  steps = 0;
  /** The number of sound samples so far. */
  to = 0;

  /**
   * @param {number} samples  number of pictures shown
   * @param {number} tries  number of samples drawn for each picture that is shown
   * @param {number} sampleRate samples per second of a sound
   */
  constructor(samples, tries, sampleRate) {
    this.#tries = tries;
    this.sampleRate = sampleRate;
    this.nats = new Array(samples).fill(0);
  }

  /** @param {any} step @returns {any} the visible part of the step; undefined if it belongs to a competing sample that is not shown */
  take(step) {
    const all = step.sample ?? 0;
    if (all % this.#tries > 0) return undefined;
    const sample = all / this.#tries;
    this.steps++;
    this.to = step.to ?? 0;
    if (step.anew) this.nats[sample] = 0;
    for (const cost of typeof step.nats === 'number' ? [step.nats] : step.nats) this.nats[sample] += cost;
    return 'sample' in step ? { ...step, sample } : step;
  }
}
