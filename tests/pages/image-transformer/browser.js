// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `image-transformer` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'image-transformer-digits-bw.gguf', wrong: 'emoji.gguf', said: /draws 32 by 32 pixels in colour/ };

/** @type {Rows['figures']} */
export const figures = {
  A10: { shows: 'learned positions of rows and columns', at: 'figure-positions' },
  A11: { shows: 'local attention in one and two dimensions: query block, memory block, mask', at: 'figure-geometry' },
  B2: { shows: 'the chain rule', at: 'figure-endings' },
  D1: { shows: 'parts of a picture explain each other', at: 'figure-attention' },
};
