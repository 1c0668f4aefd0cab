// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as text } from './generate.js';

/** @import { Reading } from './table.js' */

export const draws = true;
export const made = 'A talk';

/**
 * The attributes of a chat. The element passes them to its chat, which handles the whole conversation (element/talk.js).
 * @type {Record<'prompt' | 'system' | 'template', Reading>}
 */
export const attributes = {
  prompt: text.prompt,
  /** the system message of a chat; the visitor can edit it if there are controls */
  system: { given: ({ system }) => system },
  /** a chat template in the Jinja language, which replaces the file's template */
  template: {},
};
