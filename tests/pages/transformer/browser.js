// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `transformer` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'opened.gguf' };

/** @type {Rows['figures']} */
export const figures = {
  A6: { shows: 'positions as sines', at: 'figure-waves' },
  D2: { shows: 'words of a sentence attend to each other', at: 'figure-maps' },
  D9: { shows: 'many heads', at: 'figure-maps' },
  E6: { shows: 'heads that learn different relations', at: 'figure-maps' },
  E8: { shows: 'the same words in another order, without positions', at: 'figure-shuffle' },
};
