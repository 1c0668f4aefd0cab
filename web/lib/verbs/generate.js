// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as picture } from './complete.js';

/** @import { Reading } from './table.js' */

export const draws = true;
export const before = 0;
export const made = '{pictures} drawn from nothing';

/** @type {Record<'prompt' | 'tries', Reading>} */
export const attributes = {
  /** what the text begins with, the sentence to translate or to tag, or the first message of a talk */
  prompt: { given: ({ prompt }) => prompt },
  tries: picture.tries,
};
