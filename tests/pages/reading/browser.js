// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the page reading for the sweeps in tests/browser (tests/pages/browser.js documents them). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'lstmn.gguf', wrong: 'stories.gguf', said: /architecture llama/ };

/** @type {Rows['figures']} */
export const figures = {
  C3: { shows: 'a sentence read word by word', at: 'figure-reading' },
  D6: { shows: 'reading with attention within the sentence', at: 'figure-reading' },
};
