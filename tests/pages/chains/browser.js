// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `chains` page. Tests in tests/browser that cover every page run these cases (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'memm-en.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  E9: { shows: 'HMM, MEMM, CRF: graphs, normalisation, label bias', at: 'figure-ribrob' },
};
