// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind latent for the sweeps in tests/browser (tests/kinds/browser.js documents them). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['shown']} */
export const shown = {
  'sagan-emoji': { attributes: { task: 'generate' }, begin: (model, options) => model.generate(options) },
};

export const long = 'it takes no input';
export const inputs = 'it takes no input';
