// SPDX-License-Identifier: MIT
// @ts-check

/** The amount of work in a chunk. */

import { Race } from './race.js';

/** The target time of a chunk. Short enough to react to a stop soon, long enough that the cost of messages does not matter. */
const SLICE_MS = 10;

export class Pace {
  #now;
  /** Speculative decoding against one position per pass. */
  race;
  /** By kind of work. @type {Map<string, SliceSize>} */
  #sizes = new Map();

  /** @param {() => number} now  milliseconds */
  constructor(now) {
    this.#now = now;
    this.race = new Race(now);
  }

  /**
   * Does as much work as fills a chunk, estimated from earlier chunks. If the cost of a position varies, as
   * between the layers of an encoder, where thousands of cheap ones can precede expensive ones, `work` also calls `over` between positions.
   *
   * @template T
   * @param {string} kind   kind of work; kinds differ in the time that a position takes
   * @param {number} first  positions of the very first chunk
   * @param {number} most
   * @param {(count: number, over: () => boolean) => T} work  computes up to `count` positions, and stops early once over() is true
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
 * The number of positions that fill a chunk. It learns from each; clocks in browsers may be as coarse as 16 ms, so it moves by bounded
 * steps.
 */
export class SliceSize {
  /** @param {number} first */
  constructor(first) {
    this.count = first;
  }

  /**
   * @param {number} count  positions done
   * @param {number} ms     time they took
   */
  record(count, ms) {
    const ideal = ms > 0 ? (count * SLICE_MS) / ms : Infinity;
    // A chunk cut short by the end of the image says little about a longer one: it may lower the count, not raise it.
    const ceiling = count < this.count ? this.count : 2 * this.count;
    this.count = Math.max(1, Math.round(Math.min(Math.max(ideal, this.count / 4), ceiling, 1 << 16)));
  }
}
