// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The fields of the nx-end event that several kinds share, each with its type and its comment. Fields of a single kind are in its kind.js
 * (`TYPES.ends`).
 */

/** @typedef {Record<string, [type: string, about: string]>} Ends */

/** @type {Ends} */
export const SOUND = {
  samples: ['Float32Array', 'for audio or music: the samples, between -1 and 1'],
  sampleRate: ['number', 'for audio or music: samples per second'],
};

/** @type {Ends} */
export const TEXT = { text: ['string', 'the text that the model wrote, without the prompt; with several samples, the first text'] };
