// SPDX-License-Identifier: MIT
// Shows the measurements of speculative decoding: the number of passes for one picture, and the median time for several pictures. Each is
// measured with and without drafts.
// @ts-check
import { byId, phrase, time } from '../../shell/index.js';
import { passes, verdict } from './ahead-run.js';
/** @import { Drawing, Timing } from './ahead-run.js' */

/** @typedef {'guessing' | 'without'} Way */
const WAYS = /** @type {const} */ (['guessing', 'without']);
const BLANK = phrase`not yet`;

/** Shows the numbers for the displayed part of a picture. @param {Way} way @param {Drawing} drawing @param {number} pixels */
export function showDrawing(way, { ahead }, pixels) {
  const count = passes(ahead, pixels);
  const whole = pixels === ahead.length;
  byId(`ahead-passes-${way}`).textContent = String(count);
  byId(`ahead-each-${way}`).textContent = (pixels / count).toFixed(2);
  byId(`ahead-right-${way}`).textContent = way === 'guessing' ? String(pixels - count) : phrase`none`;
  if (way !== 'guessing') return;
  const each = (pixels / count).toFixed(2);
  byId('ahead-summary').textContent = whole
    ? phrase`${pixels} pixels in ${count} passes: ${each} pixels per pass on average.`
    : phrase`${pixels} pixels in ${count} passes: ${each} pixels per pass so far.`;
}

/**
 * Once both drawings are complete, compares the drawing made with drafts to the drawing made without drafts. Returns the result as a
 * sentence.
 * @param {Drawing | undefined} a @param {Drawing | undefined} b @returns {string}
 */
export function showVerdict(a, b) {
  const text = a && b ? verdict(a, b) : '';
  byId('ahead-verdict').textContent = text;
  return text;
}

/**
 * Clears the numbers before another picture is drawn. Keeps the medians over eight pictures unless `all` is true.
 * @param {boolean} [all] whether to clear the medians as well
 */
export function clearNumbers(all = false) {
  const rows = ['passes', 'each', 'right', ...(all ? ['median'] : [])];
  for (const way of WAYS) for (const row of rows) byId(`ahead-${row}-${way}`).textContent = BLANK;
  for (const id of ['summary', 'verdict']) byId(`ahead-${id}`).textContent = '';
}

/** Shows the median times, and returns the result as a sentence. @param {Timing} timing @param {number} pictures @returns {string} */
export function showTiming(timing, pictures) {
  for (const way of WAYS) byId(`ahead-median-${way}`).textContent = time(timing[way]);
  const { guessing, without, unequal } = timing;
  const same = unequal
    ? phrase`${unequal} of them differed between the two ways, which must never happen.`
    : phrase`Both ways drew identical pictures.`;
  return say(
    phrase`${pictures} pictures, each drawn in both ways: ${(without / guessing).toFixed(2)} times as fast with drafts (median). ${same}`,
  );
}

/** @param {string} text */
export function say(text) {
  byId('ahead-timing').textContent = text;
  return text;
}
