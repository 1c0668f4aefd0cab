// SPDX-License-Identifier: MIT
// @ts-check

/** Holds back steps that must not be emitted yet, because their text may be the beginning of a stop string or may end inside a
 * character. */

/** @import { TextStep } from './text-run.js' */

export class Stops {
  #texts;
  /** @type {TextStep[]} */
  #pending = [];
  /**
   * For each pending step, the text that is searched for stop strings: the step's own text, or the marker of a control token.
   * @type {string[]}
   */
  #seen = [];
  /** The index of the first step with an incomplete character. */
  #waitingFrom;

  /**
   * @param {string[]} texts  stop strings; the run ends before one of them appears in the text
   * @param {boolean} waiting  whether the preceding text ends inside a character
   */
  constructor(texts, waiting) {
    this.#texts = texts;
    this.#waitingFrom = waiting ? 0 : Infinity;
  }

  /** Returns the number of pending steps. */
  get pending() {
    return this.#pending.length;
  }

  /**
   * @param {TextStep} step
   * @param {boolean} waiting  whether the step's character is incomplete
   * @param {string} [mark]    for a control token, the marker in which stop strings are searched for, instead of in the token's text: see
   *   Tokenizer.mark
   * @returns {{ steps: TextStep[], stopped: boolean }}  steps: the steps that may be emitted now; stopped: whether these are the last steps
   */
  add(step, waiting, mark = '') {
    const pending = this.#pending;
    pending.push(step);
    this.#seen.push(mark || step.text);
    this.#waitingFrom = waiting ? Math.min(this.#waitingFrom, pending.length - 1) : Infinity;
    const { cut, safe } = this.#find();
    if (cut >= 0) return { steps: this.#upTo(cut), stopped: true };
    let released = 0;
    for (let length = 0; released < Math.min(pending.length, this.#waitingFrom); released++) {
      length += this.#seen[released].length;
      if (length > safe) break;
    }
    this.#waitingFrom -= released;
    this.#seen.splice(0, released);
    return { steps: pending.splice(0, released), stopped: false };
  }

  /**
   * Called after the last step.
   *
   * @param {string} rest  the text that remains after the last step
   * @returns {{ steps: TextStep[], stopped: boolean }}
   */
  end(rest) {
    const last = this.#pending.length - 1;
    if (last >= 0) {
      this.#pending[last].text += rest;
      this.#seen[last] += rest;
    }
    const { cut } = this.#find();
    return cut >= 0 ? { steps: this.#upTo(cut), stopped: true } : { steps: this.#pending.splice(0), stopped: false };
  }

  /** Removes and returns the steps up to a position in the pending text. Later steps stay pending. @param {number} cut */
  #upTo(cut) {
    const steps = [];
    for (let left = cut; this.#pending.length > 0 && left > 0; ) {
      const step = /** @type {TextStep} */ (this.#pending.shift());
      steps.push({ ...step, text: step.text.slice(0, left) });
      left -= String(this.#seen.shift()).length;
    }
    return steps;
  }

  /**
   * @returns {{ cut: number, safe: number }}  cut: position of a stop string in the pending text, or -1; safe: length of the prefix in
   *   which no stop string can begin
   */
  #find() {
    const text = this.#seen.join('');
    const found = this.#texts.map((end) => text.indexOf(end)).filter((at) => at >= 0);
    if (found.length > 0) return { cut: Math.min(...found), safe: 0 };
    let safe = text.length;
    for (const end of this.#texts) {
      for (let at = Math.max(0, text.length - end.length + 1); at < safe; at++) if (end.startsWith(text.slice(at))) safe = at;
    }
    return { cut: -1, safe };
  }
}
