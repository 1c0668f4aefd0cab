// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the page fvsbn for the sweeps in tests/browser (tests/pages/browser.js documents them). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'fvsbn.gguf', wrong: 'pixelcnn-digits.gguf', said: /architecture pixelcnn/, always: true };

/** @type {Rows['figures']} */
export const figures = {
  B3: { shows: 'Bernoulli, categorical, Gaussian, logistic: densities and losses', at: 'figure-densities' },
  B4: { shows: 'the FVSBN, pixel by pixel', at: 'figure-endings' },
  B5: { shows: 'the FVSBN: training digits and samples', at: 'figure-samples' },
};
