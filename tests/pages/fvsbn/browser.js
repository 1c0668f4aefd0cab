// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `fvsbn` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'fvsbn.gguf', wrong: 'pixelcnn-digits.gguf', said: /architecture pixelcnn/, always: true };

/** @type {Rows['figures']} */
export const figures = {
  B3: { shows: 'Bernoulli, categorical, Gaussian, logistic: densities and losses', at: 'figure-densities' },
  B4: { shows: 'the FVSBN, pixel by pixel', at: 'figure-endings' },
  B5: { shows: 'the FVSBN: training digits and samples', at: 'figure-samples' },
};
