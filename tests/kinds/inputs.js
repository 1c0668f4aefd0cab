// SPDX-License-Identifier: MIT
// @ts-check

/** Inputs that several kinds give to their verbs. */

/** Returns a picture of noise. @param {number} width @param {number} height @param {number} channels */
export const patterned = (width, height, channels) => ({
  data: Uint8Array.from({ length: width * height * channels }, (_, i) => Math.imul(i + 7, 2654435761) >>> 24),
  width,
  height,
});

/** Returns a sine tone at 8 kHz. @param {number} length */
export const tone = (length) => ({ samples: Float32Array.from({ length }, (_, i) => Math.sin(i / 5) / 2), sampleRate: 8000 });
