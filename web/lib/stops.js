// SPDX-License-Identifier: MIT
// @ts-check

/** Steps that may not be told yet: a stop may begin in them, or a character is not complete. */

/** @import { TokenStep } from './tokens.js' */

export class Stops {
  #texts;
  /** @type {TokenStep[]} */
  #held = [];
  /** The first of them in which a character is not complete. */
  #waitingFrom;

  /**
   * @param {string[]} texts  which end a run where they would appear
   * @param {boolean} waiting  the text before ends within a character
   */
  constructor(texts, waiting) {
    this.#texts = texts;
    this.#waitingFrom = waiting ? 0 : Infinity;
  }

  /** How many steps wait. */
  get held() {
    return this.#held.length;
  }

  /**
   * @param {TokenStep} step
   * @param {boolean} waiting  its character is not complete
   * @returns {{ steps: TokenStep[], stopped: boolean }}  those that may be told now; stopped: they are the last
   */
  add(step, waiting) {
    const held = this.#held;
    held.push(step);
    this.#waitingFrom = waiting ? Math.min(this.#waitingFrom, held.length - 1) : Infinity;
    const { cut, safe } = this.#find();
    if (cut >= 0) return { steps: this.#upTo(cut), stopped: true };
    let released = 0;
    for (let length = 0; released < Math.min(held.length, this.#waitingFrom); released++) {
      length += held[released].text.length;
      if (length > safe) break;
    }
    this.#waitingFrom -= released;
    return { steps: held.splice(0, released), stopped: false };
  }

  /**
   * No further step comes.
   *
   * @param {string} rest  of the text, after the last one
   * @returns {{ steps: TokenStep[], stopped: boolean }}
   */
  end(rest) {
    if (this.#held.length > 0) this.#held[this.#held.length - 1].text += rest;
    const { cut } = this.#find();
    return cut >= 0 ? { steps: this.#upTo(cut), stopped: true } : { steps: this.#held.splice(0), stopped: false };
  }

  /** Steps up to a place in their text. Those after it stay held. @param {number} cut */
  #upTo(cut) {
    const steps = [];
    for (let left = cut; this.#held.length > 0 && left > 0;) {
      const step = /** @type {TokenStep} */ (this.#held.shift());
      steps.push({ ...step, text: step.text.slice(0, left) });
      left -= step.text.length;
    }
    return steps;
  }

  /** @returns {{ cut: number, safe: number }}  cut: where a stop stands in the held text, or -1; safe: how much of it none can begin in */
  #find() {
    const text = this.#held.map((step) => step.text).join('');
    const found = this.#texts.map((end) => text.indexOf(end)).filter((at) => at >= 0);
    if (found.length > 0) return { cut: Math.min(...found), safe: 0 };
    let safe = text.length;
    for (const end of this.#texts) {
      for (let at = Math.max(0, text.length - end.length + 1); at < safe; at++) if (end.startsWith(text.slice(at))) safe = at;
    }
    return { cut: -1, safe };
  }
}
