// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind text for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN, ROOT } from '../../js/helpers.js';
import { toyText } from '../../js/toy-text.js';
import { toyTranslation } from '../../js/toy-translation.js';
import { blocks, ids, large, linear, norm } from '../grown.js';

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

/** @param {number} context @param {number} d @param {number} inner @param {number} layers */
const transformer = (context, d, inner, layers) => {
  const attention = (/** @type {string} */ name) => ({
    ...Object.fromEntries(['q', 'k', 'v', 'output'].map((part) => [`${name}_${part}.weight`, [d, d]])),
    ...norm(`${name}_norm`, d),
  });
  const rest = { ...linear('ffn_up', inner, d), ...linear('ffn_down', d, inner), ...norm('ffn_norm', d) };
  return large(
    'transformer-pre',
    {
      'transformer.context_length': context,
      'transformer.block_count': layers,
      'transformer.encoder.block_count': 1,
      'transformer.embedding_length': d,
      'transformer.feed_forward_length': inner,
      'transformer.position.type': 'none',
    },
    {
      'token_embd.weight': [257, d],
      ...blocks(1, 'enc.', { ...attention('attn'), ...rest }),
      ...norm('enc.output_norm', d),
      ...blocks(layers, '', { ...attention('attn'), ...attention('cross_attn'), ...rest }),
      ...norm('output_norm', d),
    },
  );
};

/** @type {Rows['slices']} */
export const slices = {
  'Transformer: a long sentence through a wide block': {
    file: () => transformer(2048, 2048, 8192, 1),
    draw: () => ({ inputs: { source: ids(2048, 257) } }),
  },
};

/** @type {Rows['runs']} */
export const runs = {
  run: (model, options) =>
    model.info.verbs.includes('translate') ? model.translate('Ein Hund.', options) : model.generate('Once', { maxTokens: 8, ...options }),
  ids: ({ token }) => [token],
  rest: ({ info }, drawn) => (info.verbs.includes('translate') ? {} : { maxTokens: 8 - drawn }),
  saved: ['stories', 'de-en'],
  alike: /^seq2seq-(characters|general|local|location|none)/,
};

/** @type {Rows['options']} */
export const options = {
  files: ['stories260K', 'transformer-end'],
  inputs: { chat: () => [[{ role: 'user', content: 'a' }]] },
  besides: { chat: { template: 'x', render: () => 'a' } },
};

const oneToken = (/** @type {any} */ { token, nats }) => /** @type {[number[], number[]][]} */ ([[[token], [nats]]]);

/** @type {Rows['probabilities']} */
export const probabilities = [
  {
    file: () => toyText({ context: 64 }),
    begin: (model, options) => model.generate('ab abc', { maxTokens: 9, ...options }),
    ids: oneToken,
  },
  ...[{}, { beams: 3 }, { temperature: 0.7 }].map((options) => ({
    file: `${GOLDEN}transformer-post.gguf`,
    begin: (/** @type {any} */ model, /** @type {any} */ given) => model.translate([5, 6, 7, 8], given),
    ids: oneToken,
    options,
  })),
];

/** @type {Rows['keys']} */
export const keys = {
  integers: { stories260K: 'always', 'lstmn-tiny': 'more' },
};

/** @type {Rows['evaluation']} */
export const evaluation = {
  measured: ['opened', 'stories'],
  made: [
    ['opened', 'held_out.py letters'],
    ['stories', 'held_out.py stories'],
  ],
};

export const holes = 'limits.test.js tests prompts and logitBias in detail';

/** @type {Rows['tasks']} */
export const tasks = { draws: ['chat', 'generate', 'translate'] };
