// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `captions` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'captions-hard.gguf' };

/** @type {Rows['givenFiles']} */
export const givenFiles = {
  figure: '#figure-tell',
  said: '#said',
  given: () => [
    'a red square 100% #1.svg',
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="red"/></svg>',
    'image/svg+xml',
  ],
  done: /middle of your picture/,
};

/** @type {Rows['figures']} */
export const figures = {
  D7: { shows: 'a caption, word by word, with the locations that the model attends to', at: 'figure-tell' },
  D18: { shows: 'soft and hard attention', at: 'figure-compare' },
};
