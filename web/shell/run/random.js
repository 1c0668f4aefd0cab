// SPDX-License-Identifier: MIT
// Generates random numbers that depend only on a seed.
// @ts-check

/**
 * Returns a generator that passes a counter through a 32-bit mixing function.
 * @param {number} seed
 * @returns {() => number} returns numbers that are uniform in [0, 1)
 */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
  };
}
