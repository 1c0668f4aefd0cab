// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind text for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN, ROOT } from '../../js/helpers.js';
import { toyText } from '../../js/toy-text.js';
import { toyTranslation } from '../../js/toy-translation.js';

/** @import { Rows } from '../js.js' */

const chat = () =>
  toyText({
    metadata: { 'tokenizer.chat_template': ['string', '{% for message in messages %}{{ message.content }}{% endfor %}'] },
  });

/** @type {Rows['verbs']} */
export const verbs = {
  generate: { file: () => toyText(), options: { maxTokens: 8, temperature: 0.8 }, input: () => 'ab c' },
  'generate, one of several texts': { file: () => toyText(), options: { oneOf: ['abc', 'a b c', 'bcb'] }, input: () => 'ab c' },
  'generate, up to a stop text': { file: () => toyText(), options: { maxTokens: 30, stop: ['ab'] }, input: () => 'ab c' },
  chat: { file: chat, options: { maxTokens: 8 }, input: () => [{ role: 'user', content: 'a' }] },
  translate: { file: () => toyTranslation(), options: {}, input: () => 'a b c ab' },
  'translate, beams': { file: () => toyTranslation(), options: { beams: 3 }, input: () => 'a b c ab' },
  'translate, two sentences': { file: () => toyTranslation({ context: 100 }), options: {}, input: () => 'a b c. ab c b a.' },
  'translate, tokens as input': { file: `${GOLDEN}seq2seq-local-p.gguf`, options: { maxTokens: 6 }, input: () => [1, 2, 3, 4] },
};

/** @type {Rows['lists']} */
export const lists = {
  stop: {
    file: () => toyText(),
    begin: (model, options) => model.generate('ab', options),
    options: () => ({ maxTokens: 9, stop: ['ab'] }),
    change: ({ stop }) => stop.fill('zzz'),
    most: 9,
  },
  oneOf: {
    file: () => toyText(),
    begin: (model, options) => model.generate('ab', options),
    options: () => ({ oneOf: ['abc', 'bcb'] }),
    change: ({ oneOf }) => oneOf.fill('zzz'),
  },
  logitBias: {
    file: () => toyText(),
    begin: (model, options) => model.generate('ab', options),
    options: () => ({ maxTokens: 6, logitBias: { 5: 4 } }),
    change: ({ logitBias }) => Object.assign(logitBias, { 5: -100, 7: 100 }),
    most: 6,
  },
  'messages, tools and variables': {
    file: chat,
    begin: (model, { messages, ...options }) => model.chat(messages, options),
    options: () => ({
      maxTokens: 6,
      template:
        '{% for m in messages %}{{ m.content }}{{ m.tool_calls[0].function.arguments.x }}{% endfor %}{% for t in tools %}{{ t.function.name }}{% endfor %}{{ of.list[0] }}{{ call("b") }}',
      messages: [{ role: 'assistant', content: 'a', tool_calls: [{ type: 'function', function: { name: 'f', arguments: { x: 'b' } } }] }],
      tools: [{ type: 'function', function: { name: 'c' } }],
      variables: { of: { list: ['a'] }, call: (/** @type {string} */ text) => `${text}c` },
    }),
    change: ({ messages, tools, variables }) => {
      if (!messages) return; // a saved run has only the tokens
      messages[0].tool_calls[0].function.arguments.x = 'c';
      tools.push({ type: 'function', function: { name: 'b' } });
      variables.of.list[0] = 'b';
    },
    most: 6,
  },
};

const LOOPS = '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}';

/** @type {Rows['waiting']} */
export const waiting = {
  chat: {
    file: () => toyText({ metadata: { 'tokenizer.chat_template': ['string', LOOPS] } }),
    ask: (model, options) => model.chat([{ role: 'user', content: 'a' }], options),
  },
  generate: {
    file: () => toyText(),
    ask: (model, options) => model.generate('a', { constraint: { next: () => new Promise(() => {}) }, ...options }),
    immediate: true,
  },
  score: 'the text is given',
  attention: 'the text is given',
  translate: 'the text is given',
};

/** @type {Rows['promises']} */
export const promises = {
  async generate(load) {
    return (await load(`${GOLDEN}stories260K.gguf`)).generate('Once', { maxTokens: 9, seed: 1 }).text();
  },
  async translate(load) {
    return (await load(`${ROOT}weights/de-en.gguf`)).translate('Ein Hund.').text();
  },
};

/** @type {Rows['nested']} */
export const nested = {
  translate: { file: `${GOLDEN}transformer-end.gguf`, input: () => [[1, 2], { maxTokens: 3 }] },
  generate: { file: `${GOLDEN}stories260K.gguf`, input: () => [[1, 2, 3], { maxTokens: 2, stop: ['a'], logitBias: { ' the': 1 } }] },
};

/** @type {Rows['typed']} */
export const typed = {
  file: () => toyTranslation({ context: 200 }),
  read: {
    translate: (model, text) => model.translate(text).text(),
    source: async (model, text) => (await model.score('a b', { source: text })).nats,
    target: async (model, text) => (await model.score(text, { source: 'a b' })).nats,
  },
};
