// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as text } from './generate.js';

/** @import { Reading } from './table.js' */

export const draws = true;
export const made = 'A talk';

/** The attributes of the element, which passes the whole chat (element/talk.js). @type {Record<'prompt' | 'system' | 'template', Reading>} */
export const attributes = {
  prompt: text.prompt,
  /** the system message of a chat, which the visitor can edit if there are controls */
  system: { given: ({ system }) => system },
  /** the chat template, in the language Jinja, instead of that of the file */
  template: {},
};
