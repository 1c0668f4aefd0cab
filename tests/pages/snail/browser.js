// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `snail` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'snail-omniglot.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  D13: { shows: 'SNAIL: causal convolutions with attention between', at: 'figure-layers' },
};
