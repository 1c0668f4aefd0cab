// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the page look-ahead for the sweeps in tests/browser (tests/pages/browser.js documents them). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'digits.gguf' };
