// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `head` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { GOLDEN } from '../../js/helpers.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['shown']} */
export const shown = {
  'parents-en': {
    attributes: { prompt: 'I saw her.' },
    begin: (model, { signal }) => model.parse('I saw her.', { signal }),
    ends: ({ parse }) => parse.heads.length === 4,
  },
};

/** @type {Rows['long']} */
export const long = {
  'a sentence of long words, parsed': { weights: 'parents-en', ask: async (model) => model.parse(`${'e\u0301'.repeat(8000)} `.repeat(20)) },
};

export const inputs = 'it takes text';

/** @type {Rows['order']} */
export const order = { parse: { file: `${GOLDEN}tree-tiny.gguf`, attributes: { prompt: 'a b c' } } };
