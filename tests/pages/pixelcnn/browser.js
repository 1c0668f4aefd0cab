// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `pixelcnn` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'gated-pixelcnn-digits.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  B6: { shows: 'raster order, receptive field, a masked kernel of 5 by 5', at: 'figure-masks' },
  B7: { shows: 'samples by class', at: 'figure-classes' },
};
