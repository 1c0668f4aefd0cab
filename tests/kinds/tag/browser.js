// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `tag` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { GOLDEN } from '../../js/helpers.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['shown']} */
export const shown = {
  'crf-en': {
    attributes: { prompt: 'The old man.' },
    begin: (model, { signal }) => model.tag('The old man.', { signal }),
    ends: ({ tagging }) => tagging.tags.length === 4,
    freed: true,
  },
};

/** @type {Rows['long']} */
export const long = {
  'a long text, tagged': { weights: 'crf-en', ask: async (model) => model.tag('The quick brown fox, doesn\u2019t it jump? '.repeat(6000)) },
  'a text without a word, tagged': { weights: 'crf-en', ask: async (model) => model.tag('\u200d \u200b'.repeat(1_000_000)) },
  'an address of brackets, tagged': { weights: 'hmm-en', ask: async (model) => model.tag(`http://a${')'.repeat(16000)}`) },
};

export const inputs = 'it takes text';

/** @type {Rows['order']} */
export const order = { tag: { file: `${GOLDEN}chain-crf-tiny.gguf`, attributes: { prompt: 'a b' }, often: true } };
