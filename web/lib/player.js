// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The AudioWorklet that plays samples in order of arrival, at the rate of its context. The player is a separate file without imports.
 *
 *     in:   Float32Array  more samples        'end'  no more will come     'stop'  permanent silence     'rest', 'go on'  begin and end of a pause
 *     out:  { played, held, gaps, over }      number of samples played; number of samples waiting; number of times that the queue ran empty
 *                                             too early; whether everything has been played
 *
 * Playback begins when `enough` samples, or all samples of the sound, are queued. If the queue runs empty, the player is silent until
 * `enough` samples are queued again.
 */

const scope = /** @type {any} */ (globalThis);
/** Number of quanta of 128 samples between two reports. */
const TELL = 4;

class Player extends scope.AudioWorkletProcessor {
  /** @type {Float32Array[]} */
  #queue = [];
  #at = 0; // offset in the first item of the queue
  #held = 0;
  #played = 0;
  #gaps = 0;
  #quanta = 0;
  #begun = false;
  #ended = false;
  #stopped = false;
  #resting = false;
  #enough;

  /** @param {{ processorOptions: { enough: number } }} options */
  constructor({ processorOptions: { enough } }) {
    super();
    this.#enough = enough;
    this.port.onmessage = (/** @type {MessageEvent} */ { data }) => {
      if (data === 'end') this.#ended = true;
      else if (data === 'stop') this.#stopped = true;
      else if (data === 'rest' || data === 'go on') this.#resting = data === 'rest';
      else {
        this.#queue.push(data);
        this.#held += data.length;
      }
    };
  }

  /** @param {Float32Array[][]} _  @param {Float32Array[][]} outputs */
  process(_, [[out]]) {
    if (this.#stopped) return false;
    if (this.#resting) return true;
    if (!this.#begun && (this.#ended || this.#held >= this.#enough)) this.#begun = true;
    if (this.#begun) {
      let filled = 0;
      while (filled < out.length && this.#queue.length > 0) {
        const some = this.#queue[0].subarray(this.#at, this.#at + out.length - filled);
        out.set(some, filled);
        filled += some.length;
        this.#at += some.length;
        if (this.#at === this.#queue[0].length) {
          this.#queue.shift();
          this.#at = 0;
        }
      }
      this.#held -= filled;
      this.#played += filled;
      if (filled < out.length && !this.#ended) {
        this.#gaps++;
        this.#begun = false;
      }
    }
    const over = this.#ended && this.#held === 0;
    if (over || ++this.#quanta % TELL === 0) this.port.postMessage({ played: this.#played, held: this.#held, gaps: this.#gaps, over });
    return !over;
  }
}

scope.registerProcessor('nextpixel-player', Player);
