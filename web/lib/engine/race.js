// SPDX-License-Identifier: MIT
// @ts-check

/** Measures which of two ways of doing the same work is faster here, while the work is done. */

/** Chunks before the first decision, half of them each way. */
const TRIALS = 12;
/** Chunks of each way that do not count: the engine compiles its code meanwhile. */
const WARM_UP = 2;
/** One in this many chunks uses the slower way, because machines and pictures change. */
const AGAIN = 32;
/** The weight of older measurements decreases by this factor with each new one. */
const FADE = 0.9;

export class Race {
  #now;
  #turns = 0;
  #ways = [
    { turns: 0, ms: 0, done: 0 },
    { turns: 0, ms: 0, done: 0 },
  ];

  /** @param {() => number} now  milliseconds */
  constructor(now) {
    this.#now = now;
  }

  /** Milliseconds per unit of work: the first way, the second; 0: not known yet. @returns {[first: number, second: number]} */
  get costs() {
    const [first, second] = this.#ways.map(({ ms, done }) => (done > 0 ? ms / done : 0));
    return [first, second];
  }

  /** Returns which way the next chunk uses: true for the second one. */
  next() {
    const turn = this.#turns++,
      [first, second] = this.costs;
    if (turn < TRIALS) return turn % 2 === 1;
    return second < first !== (turn % AGAIN === 0);
  }

  /**
   * Runs and measures a chunk of work.
   *
   * @template T
   * @param {boolean} second  with which way
   * @param {() => T} work
   * @param {(result: T) => number} amount  units of work that were done
   * @returns {T}
   */
  time(second, work, amount) {
    const start = this.#now(),
      result = work(),
      ms = this.#now() - start,
      way = this.#ways[Number(second)];
    if (way.turns++ >= WARM_UP) {
      way.ms = way.ms * FADE + ms;
      way.done = way.done * FADE + amount(result);
    }
    return result;
  }
}
