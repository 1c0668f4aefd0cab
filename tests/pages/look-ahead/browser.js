// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `look-ahead` page. Tests in tests/browser that cover every page run these cases (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'digits.gguf' };
