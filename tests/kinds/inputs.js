// SPDX-License-Identifier: MIT
// @ts-check

/** Inputs and helper functions that test cases of several kinds share. */

/** Returns a picture of noise. @param {number} width @param {number} height @param {number} channels */
export const patterned = (width, height, channels) => ({
  data: Uint8Array.from({ length: width * height * channels }, (_, i) => Math.imul(i + 7, 2654435761) >>> 24),
  width,
  height,
});

/** Returns a sine tone at 8 kHz. @param {number} length */
export const tone = (length) => ({ samples: Float32Array.from({ length }, (_, i) => Math.sin(i / 5) / 2), sampleRate: 8000 });

/** Returns a picture with slowly rising values. @param {number} width @param {number} height @param {number} channels */
export const graded = (width, height, channels) => ({
  data: Uint8Array.from({ length: width * height * channels }, (_, i) => i % 251),
  width,
  height,
});

/** Returns a picture of stripes. @param {number} width @param {number} height @param {number} channels */
export const striped = (width, height, channels) => ({
  data: Uint8Array.from({ length: width * height * channels }, (_, i) => (i * 37) % 256),
  width,
  height,
});

/** Returns a picture in a single shade of grey. @param {number} width @param {number} height @param {number} channels */
export const plain = (width, height, channels) => ({ data: new Uint8Array(width * height * channels).fill(200), width, height });

/** Splits a text into words at its spaces. @param {string} text */
export const wordsOf = (text) => text.split(/[ \n\u00a0]+/).filter(Boolean);

/** Returns the first 20 values of a run. @param {any} run */
export async function few(run) {
  /** @type {number[]} */
  const all = [];
  for await (const { values } of run) if (all.push(...values) > 20) break;
  return all.slice(0, 20);
}
