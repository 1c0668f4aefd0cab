// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `chains` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'memm-en.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  E9: { shows: 'HMM, MEMM, CRF: graphs, normalisation, label bias', at: 'figure-ribrob' },
};
