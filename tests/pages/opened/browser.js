// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `opened` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'opened.gguf', wrong: 'de-en.gguf', said: /^It has [\d,]+ numbers; this page can show at most 100,000/ };

/** @type {Rows['figures']} */
export const figures = {
  A2: { shows: 'attention as comparing and adding', at: 'overture' },
  A5: { shows: 'the architecture of the Transformer, one-hot inputs, outputs shifted right', at: 'figure-opened' },
  A7: { shows: 'scaled dot products and their mask', at: 'figure-opened' },
  A9: { shows: 'the equations of a layer', at: 'figure-layer' },
  B11: { shows: 'encoder, decoder, heads, feed-forward', at: 'figure-opened' },
  C4: { shows: 'queries, keys, softmax and values as matrices with their sizes', at: 'figure-opened' },
  'D10 to D12': { shows: 'encoder, decoder, the complete model', at: 'figure-opened' },
  E5: { shows: 'the whole Transformer', at: 'figure-opened' },
};
