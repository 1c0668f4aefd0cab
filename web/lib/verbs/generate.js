// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as picture } from './complete.js';

/** @import { Reading } from './table.js' */

export const draws = true;
export const before = 0;
export const made = '{pictures} drawn from nothing';

/** @type {Record<'prompt' | 'tries', Reading>} */
export const attributes = {
  /** the beginning of the text, the sentence to translate or tag, or the first message */
  prompt: { given: ({ prompt }) => prompt },
  tries: picture.tries,
};
