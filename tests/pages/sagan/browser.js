// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `sagan` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'sagan-emoji-plain.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  C1: { shows: 'the locations that coloured points attend to most', at: 'figure-look' },
  C5: { shows: 'the module f, g, h with its residual scale', at: 'figure-module' },
  C6: { shows: 'the spectral norm', at: 'figure-norm' },
  C7: { shows: 'curves of training: plain, normalised, two time scales', at: 'figure-gan' },
  C8: { shows: 'samples of those three', at: 'figure-gan' },
  C9: {
    shows: 'where attention sits, against a residual block',
    at: 'figure-places',
    but: 'the distances are the published ones, because training takes weeks; the grid and its positions are computed',
  },
  D15: { shows: 'the module of SAGAN', at: 'figure-module' },
  D16: { shows: 'samples of SAGAN', at: 'figure-sheet' },
};
