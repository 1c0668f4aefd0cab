// SPDX-License-Identifier: MIT
// @ts-check

/** Decides how much work a chunk contains. */

import { Race } from './race.js';

/**
 * The target duration of a chunk, in milliseconds. This duration is short enough for a quick reaction to a stop, and long enough to make
 * the cost of messages negligible.
 */
const SLICE_MS = 10;

export class Pace {
  #now;
  /** Compares the speed of speculative decoding with the speed of drawing one position per pass. */
  race;
  /** The size of a chunk, by kind of work. @type {Map<string, SliceSize>} */
  #sizes = new Map();

  /** @param {() => number} now  milliseconds */
  constructor(now) {
    this.#now = now;
    this.race = new Race(now);
  }

  /**
   * Does one chunk of work; the size of the chunk is estimated from earlier chunks. The cost of a position may vary, for example between
   * the layers of an encoder, where thousands of cheap positions can precede expensive ones. `work` therefore also calls `over` between
   * positions.
   *
   * @template T
   * @param {string} kind   kind of work, because the time per position depends on the kind
   * @param {number} first  number of positions in the first chunk
   * @param {number} most
   * @param {(count: number, over: () => boolean) => T} work  computes up to `count` positions, and stops early once over() returns true
   * @returns {T}
   */
  slice(kind, first, most, work) {
    let size = this.#sizes.get(kind);
    if (!size) this.#sizes.set(kind, (size = new SliceSize(first)));
    const count = Math.min(most, size.count);
    const start = this.#now();
    const result = work(count, () => this.#now() - start >= 2 * SLICE_MS);
    size.record(count, this.#now() - start);
    return result;
  }
}

/**
 * Estimates the number of positions that fill a chunk. Each new estimate is between a quarter and twice the previous one, because a single
 * measurement is unreliable. Clocks in browsers may be as coarse as 16 ms.
 */
export class SliceSize {
  /** @param {number} first */
  constructor(first) {
    this.count = first;
  }

  /**
   * @param {number} count  number of positions done
   * @param {number} ms     time that these positions took
   */
  record(count, ms) {
    const ideal = ms > 0 ? (count * SLICE_MS) / ms : Infinity;
    // A chunk that was cut short by the end of the image says little about longer chunks, so its time may lower the count but not raise it.
    const ceiling = count < this.count ? this.count : 2 * this.count;
    this.count = Math.max(1, Math.round(Math.min(Math.max(ideal, this.count / 4), ceiling, 1 << 16)));
  }
}
