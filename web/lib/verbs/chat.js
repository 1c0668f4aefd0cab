// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as text } from './generate.js';

/** @import { Reading } from './table.js' */

export const draws = true;
export const made = 'A talk';

/** The attributes of the element, which asks with the whole talk (element/talk.js). @type {Record<'prompt' | 'system', Reading>} */
export const attributes = {
  prompt: text.prompt,
  /** the system message of a talk, which can be changed there where there are controls */
  system: { given: ({ system }) => system },
};
