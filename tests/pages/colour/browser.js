// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `colour` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

export const ownFile = 'own-model.test.js opens files';

/** @type {Rows['device']} */
export const device = { device: 'camera', button: 'button:has-text("Use the camera")', said: 'main' };

/** @type {Rows['figures']} */
export const figures = {
  A1: { shows: 'completions and enlargements, several of each picture', at: 'figure-colour' },
  A13: { shows: 'super-resolution', at: 'figure-superres' },
  B12: { shows: 'the Image Transformer: enlarging, classes, blocks', at: 'figure-superres' },
};
