// SPDX-License-Identifier: MIT
// @ts-check

/** Pauses an element's run. While the run is paused, no steps are read, and no sound is heard. */

import { abortable } from '../base/abort.js';

export class Rest {
  #isPaused;
  /** Resumes a paused run. */
  #goOn = () => {};
  /** Mutes the sound of a run while the run is paused. @type {(resting: boolean) => void} */
  #hush = () => {};

  /** @param {() => boolean} isPaused */
  constructor(isPaused) {
    this.#isPaused = isPaused;
  }

  /**
   * Called when the sound of a run begins.
   *
   * @param {(resting: boolean) => void} rest
   * @param {AbortSignal} signal  aborted when the run ends
   */
  hear(rest, signal) {
    if (signal.aborted) return;
    this.#hush = rest;
    rest(this.#isPaused());
  }

  /**
   * Waits while the run is paused.
   *
   * @param {AbortSignal} signal
   */
  async patience(signal) {
    signal.throwIfAborted();
    while (this.#isPaused())
      await abortable(
        /** @type {Promise<void>} */ (
          new Promise((resolve) => {
            this.#goOn = resolve;
          })
        ),
        signal,
      );
  }

  /** Pauses or resumes the sound. @param {boolean} resting */
  hush(resting) {
    this.#hush(resting);
  }

  /** Lets the reader of a paused run continue. */
  goOn() {
    this.#goOn();
  }

  /** Drops the sound of a run that has ended. */
  forget() {
    this.#hush = () => {};
  }
}
