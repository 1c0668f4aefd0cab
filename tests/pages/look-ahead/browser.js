// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `look-ahead` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'digits.gguf' };
