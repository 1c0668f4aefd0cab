// SPDX-License-Identifier: MIT
// @ts-check

/** Detects which SIMD instructions of WebAssembly this machine supports, and chooses the fastest build of the library. */

/** A module with one function that uses two instructions of SIMD128. The module is valid only where these instructions are supported. */
const SIMD_DETECTOR = new Uint8Array([
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0, // magic, version
  1,
  5,
  1,
  96,
  0,
  1,
  123, // type: () -> v128
  3,
  2,
  1,
  0, // one function of type 0
  10,
  10,
  1,
  8,
  0,
  65,
  0,
  253,
  15,
  253,
  98,
  11, // i8x16.popcnt(i8x16.splat(0))
]);

/** Whether this browser or Node can run nextpixel, which needs WebAssembly with SIMD. */
export const supported = typeof WebAssembly === 'object' && WebAssembly.validate(SIMD_DETECTOR);

/**
 * A module with one function `a`. For bytes x and y, a(x, y) returns 4 * x * y + 7, computed by the dot-product instruction of relaxed
 * SIMD.
 */
const DOT_DETECTOR = new Uint8Array([
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0, // magic, version
  1,
  7,
  1,
  96,
  2,
  127,
  127,
  1,
  127, // type: (i32, i32) -> i32
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
  22,
  1,
  20,
  0,
  32,
  0,
  253,
  15,
  32,
  1,
  253,
  15,
  65,
  7,
  253,
  17, // splats of the two arguments as bytes, and of 7
  253,
  147,
  2,
  253,
  27,
  0,
  11, // i32x4.relaxed_dot_i8x16_i7x16_add_s, lane 0
]);

/**
 * Returns the name of the build that is fastest on this machine. The results of all builds are bit-identical (src/kernels/dot.h).
 *
 * @returns {'baseline' | 'relaxed' | 'pairs'} relaxed: relaxed SIMD is available and correct. (V8 11.3, in Node 20 with a flag, accepts
 *   the module but computes a wrong number.) pairs: relaxed SIMD is available, but the processor has no dot-product instruction, so the
 *   JavaScript engine adds pairs of products in 16 bits. To detect this case, fastest() passes a second operand outside the valid range,
 *   0..127. Without the instruction, the JavaScript engine reads the byte -1 as 255, and the 16-bit sums saturate
 * @internal
 */
export function fastest() {
  try {
    const { a } = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(DOT_DETECTOR)).exports);
    if (a(-100, 127) !== 4 * -100 * 127 + 7) return 'baseline';
    return a(127, -1) === 2 * 32767 + 7 ? 'pairs' : 'relaxed';
  } catch {
    return 'baseline'; // the instructions are unknown here, or the page's policy forbids WebAssembly; compile() reports the policy
  }
}
