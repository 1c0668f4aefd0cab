// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `same-digit` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'image-transformer-digits-bw.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  A8: { shows: 'how far a convolution reaches, and how far local attention', at: 'figure-reach' },
  A12: { shows: 'samples next to those of older models', at: 'figure-endings' },
  B1: { shows: 'the kinds of generative models', at: 'figure-kinds' },
  D14: { shows: 'convolution and self-attention: the regions that they see', at: 'figure-reach' },
};
