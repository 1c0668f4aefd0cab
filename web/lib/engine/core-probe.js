// SPDX-License-Identifier: MIT
// @ts-check

/** A loop that keeps one core of the processor busy, and measures its speed. */

/** Iterations between two readings of the clock, some 30 microseconds. */
const ROUNDS = 1 << 13;
/** It ends even if the clock is set back meanwhile. */
const MOST_LOOKS = 1 << 12;

/**
 * The loop for spin(): integer dot products of SIMD128, as in the engine, with twelve sums in parallel. With fewer sums, a core would wait
 * for its own results; its sibling hyperthread would fill these gaps and be taken for another core. A loop in JavaScript would start slowly
 * and be recompiled meanwhile; this one is fast from the start. Workers get it from the page, whose policy is known to allow WebAssembly.
 */
export async function compileLoop() {
  const sums = Array.from({ length: 12 }, (_, i) => i + 1);
  return WebAssembly.compile(
    new Uint8Array([
      0,
      97,
      115,
      109,
      1,
      0,
      0,
      0, // magic, version
      1,
      6,
      1,
      96,
      1,
      127,
      1,
      127, // type: i32 -> i32
      3,
      2,
      1,
      0, // one function of that type
      7,
      5,
      1,
      1,
      97,
      0,
      0, // which is exported as a
      10,
      198,
      1,
      1,
      195,
      1,
      1,
      12,
      123, // its twelve locals are v128
      32,
      0,
      253,
      17,
      33,
      1, // the first one is i32x4.splat(parameter)
      3,
      64, // loop: to each, add i32x4.dot_i16x8_s(the next one, the next one)
      ...sums.flatMap((sum) => [32, sum, 32, (sum % 12) + 1, 32, (sum % 12) + 1, 253, 186, 1, 253, 174, 1, 33, sum]),
      32,
      0,
      65,
      1,
      107,
      34,
      0,
      13,
      0,
      11, // as often as the parameter says
      32,
      1,
      253,
      27,
      0,
      11, // lane 0 of the first one
    ]),
  );
}

/**
 * Runs the loop until `to` and counts from `from` on. A worker that starts later, because no core was free, counts less.
 *
 * @param {WebAssembly.Module} loop
 * @param {number} from  in the time of Date.now(), whose milliseconds start at the same moment in every worker
 * @param {number} to    greater
 * @returns {number} speed, in an arbitrary unit
 */
export function spin(loop, from, to) {
  const { a: run } = /** @type {any} */ (new WebAssembly.Instance(loop)).exports;
  let count = 0;
  for (let i = 0, now = 0; i < MOST_LOOKS && (now = Date.now()) < to; i++) {
    run(ROUNDS);
    if (now >= from) count++;
  }
  return count / (to - from);
}
