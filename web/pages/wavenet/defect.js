// SPDX-License-Identifier: MIT
// Detects defects in a generated spoken digit, using only its length and loudness.
// @ts-check

/** Length in seconds. Only one training recording in a hundred is shorter. */
const SHORTEST = 0.16;
/** Every training recording contains a stretch of 0.05 s whose root mean square is above this value (1 is full scale). */
const SOFTEST = 0.1;
const STRETCH = 0.05;
/** TRIES: maximum number of attempts to draw a digit. APART: difference between the seeds of two attempts. */
export const TRIES = 5,
  APART = 1_000_000;

/**
 * @param {Float32Array} samples
 * @param {{ rate: number, ended: boolean }} sound  ended: whether the model ended the sound itself
 * @returns {'' | 'short' | 'quiet' | 'endless'}
 */
export function defectOf(samples, { rate, ended }) {
  if (samples.length < SHORTEST * rate) return 'short';
  if (loudest(samples, Math.round(STRETCH * rate)) < SOFTEST) return 'quiet';
  return ended ? '' : 'endless';
}

/** Returns the root mean square of the loudest segment of `count` samples. @param {Float32Array} samples @param {number} count */
function loudest(samples, count) {
  let [sum, most] = [0, 0];
  for (let i = 0; i < samples.length; i++) {
    sum += samples[i] ** 2 - (i >= count ? samples[i - count] ** 2 : 0);
    most = Math.max(most, sum);
  }
  return Math.sqrt(most / count);
}
