// SPDX-License-Identifier: MIT
// @ts-check

/** Keeps one core of the processor busy with a loop, and measures the speed of the core. */

/** Number of iterations between two readings of the clock. These iterations take about 30 microseconds. */
const ROUNDS = 1 << 13;
/** Maximum number of clock readings, so that the loop ends even if the clock is set back. */
const MOST_LOOKS = 1 << 12;

/**
 * Compiles the loop for spin(). Like the engine, the loop computes integer dot products with SIMD128 instructions. Twelve sums are computed
 * in parallel. With fewer sums, a core would wait for its own results. While the core waits, a second worker could run on the other
 * hyperthread of the same core, and would be counted as a worker on another core. A loop in JavaScript would start slowly and be recompiled
 * while it runs; the WebAssembly loop is fast from the start. The page compiles the loop and sends it to the workers, because the page's
 * security policy is known to allow WebAssembly.
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
      0, // one function of type 0
      7,
      5,
      1,
      1,
      97,
      0,
      0, // exported as "a"
      10,
      198,
      1,
      1,
      195,
      1,
      1,
      12,
      123, // twelve locals of type v128
      32,
      0,
      253,
      17,
      33,
      1, // the first local is i32x4.splat(parameter)
      3,
      64, // loop: to each local, add i32x4.dot_i16x8_s(the next local, the next local)
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
      11, // decrement the parameter; repeat unless it is 0
      32,
      1,
      253,
      27,
      0,
      11, // return lane 0 of the first local
    ]),
  );
}

/**
 * Runs the loop until `to`, and counts the iterations after `from`. A worker that starts late because no core was free counts fewer iterations.
 *
 * @param {WebAssembly.Module} loop
 * @param {number} from  start of the measurement, in milliseconds of Date.now(), a clock that all workers share
 * @param {number} to    end of the measurement, on the same clock
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
