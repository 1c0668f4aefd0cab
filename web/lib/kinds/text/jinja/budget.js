// SPDX-License-Identifier: MIT
// @ts-check

import { OverBudget } from './values.js';

/** Maximum number of steps of a template. A conversation of a thousand messages takes a few hundred thousand steps. Each expression is one
 * step. If an operation cannot yield, its cost in steps is proportional to its work. The limit therefore rejects any operation that would
 * take longer than a fraction of a second. */
const MOST_STEPS = 2 ** 21;
/**
 * `CHARACTERS` characters of a string cost one step, and each item costs `ITEM` steps. An item is a value that is made, compared or
 * written.
 */
const CHARACTERS = 32;
const ITEM = 4;
/** Maximum length of a string that a template makes, in characters. */
const MOST_TEXT = 2 ** 22;
/** Maximum computing time of a template in milliseconds. Slow machines reach this limit before the maximum number of steps. */
const MOST_MS = 5000;
/** The clock is read every `LOOK` steps. The interpreter yields every `SLICE_MS` milliseconds. */
const LOOK = 512;
const SLICE_MS = 8;

/** Counts the work that a template has done, and throws if the template exceeds a limit. */
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

  /** @param {number} length  length of a string that is made or read */
  characters(length) {
    this.limit(length);
    this.charge(length / CHARACTERS);
  }

  /** @param {number} length  length of a string that costs no steps to make */
  limit(length) {
    if (length > MOST_TEXT) throw new OverBudget(`it makes a string of more than ${MOST_TEXT} characters`);
  }

  /**
   * Charges for the worst case of a string search: some JavaScript engines need quadratic time for long strings.
   * @param {number} length
   * @param {number} sought
   */
  search(length, sought) {
    this.charge((length / CHARACTERS) * (1 + sought / 256));
  }

  /** Returns whether it is time to yield. */
  get due() {
    if (this.#steps < this.#look) return false;
    this.#look = this.#steps + LOOK;
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** Yields to the event loop. The time until control returns is not charged to the template. @returns {Generator<void, void, void>} */
  *pause() {
    this.#spent += performance.now() - this.#since;
    if (this.#spent > MOST_MS) throw new OverBudget(`it takes more than ${MOST_MS / 1000} seconds`);
    yield;
    this.#since = performance.now();
  }
}
