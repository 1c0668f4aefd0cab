// SPDX-License-Identifier: MIT
// @ts-check

import { OverBudget } from './values.js';

/** The most steps of a template; a conversation of a thousand messages takes some hundred thousand. A step is an expression or some
 * characters. An operation without yields counts for several steps, so that none takes longer than a fraction of a second. */
const MOST_STEPS = 2 ** 21;
/** Number of characters, and of items (values that are made, compared or written), that count as one step. */
const CHARACTERS = 32;
const ITEM = 4;
/** The most characters of a text that a template makes. */
const MOST_TEXT = 2 ** 22;
/** The longest computing time of a template, in milliseconds, on a machine where these steps take longer. */
const MOST_MS = 5000;
/** Steps between two looks at the clock, and the milliseconds between two yields. */
const LOOK = 512;
const SLICE_MS = 8;

/** The work that a template has done, and its limit. */
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

  /** @param {number} [count]  number of values made, compared or written in one operation */
  items(count = 1) {
    this.charge(ITEM * count);
  }

  /** @param {number} length  length of a text that is made or read */
  characters(length) {
    this.limit(length);
    this.charge(length / CHARACTERS);
  }

  /** @param {number} length  length of a text that is free to make */
  limit(length) {
    if (length > MOST_TEXT) throw new OverBudget(`it makes a text of more than ${MOST_TEXT} characters`);
  }

  /** The most work of a text search: for long ones, engines take quadratic time. @param {number} length @param {number} sought */
  search(length, sought) {
    this.charge((length / CHARACTERS) * (1 + sought / 256));
  }

  /** Whether it is time to yield. */
  get due() {
    if (this.#steps < this.#look) return false;
    this.#look = this.#steps + LOOK;
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** Called around a yield: the time in between does not count for the template. */
  pause() {
    this.#spent += performance.now() - this.#since;
    if (this.#spent > MOST_MS) throw new OverBudget(`it takes more than ${MOST_MS / 1000} seconds`);
  }

  goOn() {
    this.#since = performance.now();
  }
}
