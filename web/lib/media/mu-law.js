// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Mu-law [ITU-T G.711, as in WaveNet]: samples between -1 and 1 are quantised to 256 levels, which are fine near 0 and coarse at loud
 * values.
 *
 *     level = floor((f(x) + 1) / 2 * 255 + 1/2)        f(x) = sign(x) ln(1 + 255 |x|) / ln 256
 *
 * JavaScript's logarithms differ between engines, so the levels are found without logarithms. At a level and halfway between two levels,
 * |f| is k / 255 for an integer k, so |x| is (256^(k / 255) - 1) / 255. These values of |x| follow from powers of one number, which are
 * computed by multiplication and are therefore the same in all engines.
 */

/** Number of levels of a sample. */
export const LEVELS = 256;

/** 256^(1 / 255), rounded to double precision. */
const STEP = 1.021983956890934;

/** The value of |x| for which |f(x)| is k / 255, for k = 0 to 255. */
const SIZES = new Float64Array(LEVELS);
for (let k = 0, power = 1; k < LEVELS; k++, power *= STEP) SIZES[k] = (power - 1) / 255;

/** Returns the x for which f(x) is k / 255, k = -255 to 255. @param {number} k */
const amplitude = (k) => (k < 0 ? -SIZES[-k] : SIZES[k]);

/** The sample of each level. @type {Float32Array} */
const SAMPLES = Float32Array.from({ length: LEVELS }, (_, level) => amplitude(2 * level - 255));
/** The lower bound of each level except the first. */
const BOUNDS = Float64Array.from({ length: LEVELS - 1 }, (_, i) => amplitude(2 * i - 254));

/**
 * @param {ArrayLike<number>} levels
 * @returns {Float32Array<ArrayBuffer>} samples
 */
export function expand(levels) {
  return Float32Array.from({ length: levels.length }, (_, i) => SAMPLES[levels[i]]);
}

/**
 * @param {ArrayLike<number>} samples  clipped to -1..1
 * @returns {Uint32Array<ArrayBuffer>} levels
 */
export function compress(samples) {
  const levels = new Uint32Array(samples.length);
  for (let i = 0; i < levels.length; i++) {
    let [low, high] = [0, LEVELS - 1]; // both converge to the number of bounds at or below the sample
    while (low < high) {
      const middle = (low + high) >> 1;
      if (samples[i] >= BOUNDS[middle]) low = middle + 1;
      else high = middle;
    }
    levels[i] = low;
  }
  return levels;
}
