// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `alignment` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = {
  file: 'seq2seq-general.gguf',
  wrong: 'de-en.gguf',
  said: /de-en\.gguf has the architecture transformer; .* only seq2seq has/,
};

/** @type {Rows['figures']} */
export const figures = {
  A3: { shows: 'states of the encoder as keys and values, of the decoder as queries', at: 'figure-unrolled' },
  A4: { shows: 'the attention value joined to the hidden state', at: 'figure-unrolled' },
  C2: { shows: 'attention in translation, and its score functions', at: 'figure-alignment' },
  D3: { shows: 'one context vector, and how it forgets', at: 'figure-vector' },
  D4: { shows: 'additive attention between encoder and decoder', at: 'figure-alignment' },
  D5: { shows: 'the alignment matrix', at: 'figure-alignment' },
  D8: { shows: 'global and local attention', at: 'figure-alignment' },
  D17: { shows: 'the table of score functions', at: 'figure-scores' },
  E1: { shows: 'a batting order: players as keys, positions as queries', at: 'figure-batting' },
  E7: { shows: 'the context of a word as a mixture', at: 'figure-alignment' },
};
