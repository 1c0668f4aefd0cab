// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the page snail for the sweeps in tests/browser (tests/pages/browser.js documents them). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'snail-omniglot.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  D13: { shows: 'SNAIL: causal convolutions with attention between', at: 'figure-layers' },
};
