// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the page colour for the sweeps in tests/browser (tests/pages/browser.js documents them). */

/** @import { Rows } from '../browser.js' */

export const ownFile = 'own-model.test.js opens files';

/** @type {Rows['figures']} */
export const figures = {
  A1: { shows: 'completions and enlargements, several of each picture', at: 'figure-colour' },
  A13: { shows: 'super-resolution', at: 'figure-superres' },
  B12: { shows: 'the Image Transformer: enlarging, classes, blocks', at: 'figure-superres' },
};
