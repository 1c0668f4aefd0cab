// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `sparse` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'sparse-digits.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  B13: { shows: 'patterns that dense attention learns, layer by layer', at: 'figure-heads' },
  B14: { shows: 'strided and fixed patterns on a small picture', at: 'figure-patterns' },
  B15: { shows: 'sparse models that draw pictures, sound and music', at: 'figure-endings' },
};
