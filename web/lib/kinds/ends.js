// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The fields of nx-end that several kinds share: each property with its type and its comment. A kind's own fields are in its kind.js
 * (`TYPES.ends`).
 */

/** @typedef {Record<string, [type: string, about: string]>} Ends */

/** @type {Ends} */
export const SOUND = {
  samples: ['Float32Array', 'of audio or music: its samples, between -1 and 1'],
  sampleRate: ['number', 'of audio or music: samples a second'],
};

/** @type {Ends} */
export const TEXT = { text: ['string', 'the text that the model wrote, without a prompt; of several the first'] };
