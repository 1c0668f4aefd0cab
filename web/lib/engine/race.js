// SPDX-License-Identifier: MIT
// @ts-check

/** Measures, during the work itself, which of two methods is faster on this machine. */

/** Number of chunks before the first decision; each method computes half of them. */
const TRIALS = 12;
/** Number of chunks at the start of each method that are not measured, because the WebAssembly code is still being compiled. */
const WARM_UP = 2;
/** After the decision, the slower method still computes every AGAIN-th chunk. The slower method may become the faster one when the
 * machine's load or the picture changes. */
const AGAIN = 32;
/** Each new measurement multiplies the weight of the older measurements by this factor. */
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

  /** Returns the milliseconds per unit of work for each method; 0: not known yet. @returns {[first: number, second: number]} */
  get costs() {
    const [first, second] = this.#ways.map(({ ms, done }) => (done > 0 ? ms / done : 0));
    return [first, second];
  }

  /** Returns which method the next chunk uses: false for the first, true for the second. */
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
   * @param {boolean} second  whether the work uses the second method
   * @param {() => T} work
   * @param {(result: T) => number} amount  returns the number of units of work that were done
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
