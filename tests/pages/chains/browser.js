// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the page chains for the sweeps in tests/browser (tests/pages/browser.js documents them). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'memm-en.gguf', wrong: 'parents-en.gguf', said: /parents-en\.gguf finds the heads of words/ };

/** @type {Rows['figures']} */
export const figures = {
  E9: { shows: 'HMM, MEMM, CRF: graphs, normalisation, label bias', at: 'figure-ribrob' },
};
