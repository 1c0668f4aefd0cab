// SPDX-License-Identifier: MIT
// Draws digits at full speed, with or without drafts, and counts the passes that the model needs for a picture.
// @ts-check
import { phrase } from '../../shell/page/phrase.js';
/** @import { PictureOptions, Model } from '../../shell/index.js' */

/**
 * @typedef {Object} Drawing a complete picture
 * @property {Uint8Array} values 8-bit greys
 * @property {Uint8Array} ahead for each pixel, the number of earlier pixels in the same pass; 0 for the first pixel of a pass
 * @property {number} ms time that the page spent waiting for the model, in milliseconds
 */

/** @param {Model} model a model with one element per pixel @param {PictureOptions} options @returns {Promise<Drawing>} */
export async function draw(model, options) {
  const { positions } = model.info;
  const values = new Uint8Array(positions);
  const ahead = new Uint8Array(positions);
  const steps = model.generate({ ...options, samples: 1 })[Symbol.asyncIterator]();
  for (let ms = 0; ; ) {
    const asked = performance.now();
    const { done, value: step } = await steps.next();
    ms += performance.now() - asked;
    if (done) return { values, ahead, ms };
    values.set(step.values, step.from);
    ahead.set(step.ahead, step.from);
  }
}

/** Counts the passes that computed the first `pixels` pixels. @param {Uint8Array} ahead @param {number} [pixels] */
export function passes(ahead, pixels = ahead.length) {
  let count = 0;
  for (let i = 0; i < pixels; i++) if (ahead[i] === 0) count++;
  return count;
}

/** Returns the pixels of the pass that computed a pixel. @param {Uint8Array} ahead @param {number} pixel */
export function passAt(ahead, pixel) {
  const from = pixel - ahead[pixel];
  let to = pixel + 1;
  while (to < ahead.length && ahead[to] > 0) to++;
  return { from, to };
}

/** Returns the number of pixels in which two pictures differ. @param {Drawing} a @param {Drawing} b */
export const differences = (a, b) => a.values.reduce((count, value, i) => count + Number(value !== b.values[i]), 0);

/** Returns a sentence about whether the pictures with and without drafts are identical. @param {Drawing} a @param {Drawing} b */
export function verdict(a, b) {
  const count = differences(a, b);
  return count === 0
    ? phrase`The same ${a.values.length} values, with and without drafts.`
    : phrase`The pictures differ in ${count} of ${a.values.length} values, which must never happen.`;
}

/** @param {number[]} numbers */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/**
 * @typedef {Object} Timing
 * @property {number} guessing median time of a picture, in milliseconds
 * @property {number} without
 * @property {number} unequal number of pictures that differ between drawing with drafts and drawing without drafts
 */

/**
 * Draws pictures with several seeds, each with and without drafts. For every other picture, the drawing with drafts comes first, so that
 * neither way of drawing has an advantage.
 * @param {Model} model
 * @param {PictureOptions & { seed: number }} options
 * @param {number} pictures
 * @param {(done: number) => void} onProgress
 * @returns {Promise<Timing>}
 */
export async function timeBoth(model, options, pictures, onProgress) {
  /** @type {Record<'guessing' | 'without', number[]>} */
  const times = { guessing: [], without: [] };
  let unequal = 0;
  for (let i = 0; i < pictures; i++) {
    onProgress(i);
    const seed = options.seed + i;
    /** @type {Drawing[]} */
    const drawings = [];
    for (const lookAhead of i % 2 ? [false, true] : [true, false]) {
      const drawing = await draw(model, { ...options, seed, lookAhead });
      times[lookAhead ? 'guessing' : 'without'].push(drawing.ms);
      drawings.push(drawing);
    }
    if (differences(drawings[0], drawings[1])) unequal++;
  }
  return { guessing: median(times.guessing), without: median(times.without), unequal };
}
