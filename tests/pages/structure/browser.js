// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `structure` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = {
  file: 'parents-en.gguf',
  elsewhere: { pages: ['chains'], said: /parents-en\.gguf finds the heads of words/ },
};

/** @type {Rows['figures']} */
export const figures = {
  E2: { shows: 'the best choice depends on the other choices', at: 'figure-batting' },
  E3: { shows: 'soft heads, marginals of a structure', at: 'figure-parents' },
  E4: { shows: 'attention as an expectation over the chosen structure', at: 'figure-sixteen' },
};
