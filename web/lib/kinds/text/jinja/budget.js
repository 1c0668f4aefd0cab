// SPDX-License-Identifier: MIT
// @ts-check

import { OverBudget } from './values.js';

/** The most steps of a template; a conversation of a thousand messages takes some hundred thousand. A step is an expression or some
 * characters. An operation without yields counts for several steps, so that none takes longer than a fraction of a second. */
const MOST_STEPS = 2 ** 21;
/** Characters that are as much work as a step, and the steps of an item: a value that is made, compared or written. */
const CHARACTERS = 32;
const ITEM = 4;
/** The most characters of any text that a template makes. */
const MOST_TEXT = 2 ** 22;
/** The longest that a template computes, in milliseconds, on a machine on which these steps take longer. */
const MOST_MS = 5000;
/** Steps between two looks at the clock, and the milliseconds between two yields. */
const LOOK = 512;
const SLICE_MS = 8;

/** The work that a template has done, and may do. */
export class Budget {
  #steps = 0;
  #look = LOOK;
  #spent = 0;
  #since = performance.now();

  /** @param {number} [steps] */
  charge(steps = 1) {
    this.#steps += steps;
    if (this.#steps > MOST_STEPS) throw new OverBudget(`it takes more than ${MOST_STEPS} steps`);
  }

  /** @param {number} [count]  of values that are made, compared or written in one operation */
  items(count = 1) {
    this.charge(ITEM * count);
  }

  /** @param {number} length  of a text that is made or read */
  characters(length) {
    this.limit(length);
    this.charge(length / CHARACTERS);
  }

  /** @param {number} length  of a text that costs nothing to make */
  limit(length) {
    if (length > MOST_TEXT) throw new OverBudget(`it makes a text of more than ${MOST_TEXT} characters`);
  }

  /** Work that a search for a text takes at most: engines look for long ones in the square of their length. @param {number} length @param {number} sought */
  search(length, sought) {
    this.charge((length / CHARACTERS) * (1 + sought / 256));
  }

  /** Whether it is time to yield. */
  get due() {
    if (this.#steps < this.#look) return false;
    this.#look = this.#steps + LOOK;
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** Called around a yield: the time in between is not the template's. */
  pause() {
    this.#spent += performance.now() - this.#since;
    if (this.#spent > MOST_MS) throw new OverBudget(`it takes more than ${MOST_MS / 1000} seconds`);
  }

  goOn() {
    this.#since = performance.now();
  }
}
