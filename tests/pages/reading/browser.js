// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `reading` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'lstmn.gguf', wrong: 'stories.gguf', said: /architecture llama/ };

/** @type {Rows['figures']} */
export const figures = {
  C3: { shows: 'a sentence read word by word', at: 'figure-reading' },
  D6: { shows: 'reading with attention within the sentence', at: 'figure-reading' },
};
