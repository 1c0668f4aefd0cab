// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `text` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { toyText } from '../../js/toy-text.js';
import { toyTranslation } from '../../js/toy-translation.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['shown']} */
export const shown = {
  'de-en': { attributes: { prompt: 'Ein Hund.' }, begin: (model, { signal }) => model.translate('Ein Hund.', { signal }) },
  stories260K: {
    attributes: { prompt: 'Once', 'max-tokens': '5' },
    begin: (model, options) => model.generate('Once', { ...options, maxTokens: 5 }),
    freed: true,
  },
};

/** @type {Rows['long']} */
export const long = {
  'a prompt that is too long': {
    weights: 'stories',
    code: 'argument',
    ask: async (model) => model.generate('Once upon a time '.repeat(1_000_000)).text(),
  },
  'a prompt of the maximum length': {
    weights: 'stories',
    ask: async (model) => model.generate('a'.repeat(500), { maxTokens: 1, seed: 1 }).text(),
  },
  'a sentence of the maximum length, translated': {
    weights: 'de-en',
    ask: async (model) => model.translate('Das Haus ist rot und '.repeat(20)).text(),
  },
};

export const inputs = 'it takes text';

const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
const chat = () => toyText({ context: 128, metadata: { 'tokenizer.chat_template': ['string', TEMPLATE] } });

/** @type {Rows['order']} */
export const order = {
  chat: { file: chat, attributes: { prompt: 'ab', 'max-tokens': '3' }, values: { template: `${TEMPLATE}!` }, often: true },
  generate: { file: chat, attributes: { prompt: 'ab', 'max-tokens': '4' } },
  translate: { file: () => toyTranslation(), attributes: { prompt: 'a b' } },
};
