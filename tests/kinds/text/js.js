// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `text` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

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
  'translate, two sentences': { file: () => toyTranslation({ context: 100 }), options: {}, input: () => 'a b c. Ab c b a.' },
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
      if (!messages) return; // a saved run contains tokens, not messages
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

/** Logit biases that prevent an early end. */
const ENDLESS = { 1: -Infinity, 2: -Infinity };
/** @template T @param {number} n @param {(i: number) => T} make */
const many = (n, make) => Array.from({ length: n }, (_, i) => make(i));
/** @param {number} i */
const tool = (i) => ({
  type: 'function',
  function: { name: `f${i}`, parameters: { type: 'object', properties: { x: { type: 'string' } } } },
});

/** @type {Rows['doubling']} */
export const doubling = {
  'generate, a prompt': { file: () => toyText(), n: 1 << 17, make: (n) => ['ab c '.repeat(n / 5), { maxTokens: 1 }] },
  'generate, ids': { file: () => toyText(), n: 1 << 18, make: (n) => [Array(n).fill(261), { maxTokens: 1 }] },
  'generate, many tokens': { file: () => toyText(), n: 1 << 11, make: (n) => ['ab', { maxTokens: n, logitBias: ENDLESS, seed: 1 }] },
  'generate, texts that end it': {
    file: () => toyText(),
    n: 1 << 14,
    make: (n) => ['ab', { maxTokens: 2, stop: many(n, (i) => `end ${i}`) }],
  },
  'generate, a text that ends it': { file: () => toyText(), n: 1 << 18, make: (n) => ['ab', { maxTokens: 2, stop: 'a'.repeat(n) }] },
  'generate, many tokens and a long text that ends them': {
    file: () => toyText(),
    n: 1 << 11,
    make: (n) => ['ab', { maxTokens: n, logitBias: { ...ENDLESS, 261: 100 }, seed: 1, stop: `${'a'.repeat(n)}b` }],
  },
  'generate, biases': {
    file: () => toyText(),
    n: 1 << 15,
    make: (n) => ['ab', { maxTokens: 1, logitBias: new Map(many(n, (i) => [i % 200, 0.5])) }],
  },
  'generate, biases of texts': {
    file: () => toyText(),
    n: 1 << 14,
    make: (n) => ['ab', { maxTokens: 1, logitBias: Object.fromEntries(many(n, (i) => [`a${i}`, 0.5])) }],
  },
  'generate, one of many texts': {
    file: () => toyText(),
    n: 1 << 14,
    make: (n) => ['ab', { oneOf: many(n, (i) => `ab ${i}`) }],
  },
  'generate, one long text': { file: () => toyText(), n: 1 << 11, make: (n) => ['ab', { oneOf: ['abc '.repeat(n / 4)] }] },
  'chat, messages': { file: chat, n: 1 << 13, make: (n) => [many(n, (i) => ({ role: i % 2 ? 'assistant' : 'user', content: 'a' }))] },
  'chat, a message': { file: chat, n: 1 << 18, make: (n) => [[{ role: 'user', content: 'ab c '.repeat(n / 5) }]] },
  'chat, a template': {
    file: chat,
    n: 1 << 14,
    make: (n) => [[{ role: 'user', content: 'a' }], { template: '{{ 1 + 2 }} a'.repeat(n / 13), maxTokens: 1 }],
  },
  'chat, tools': {
    file: chat,
    n: 1 << 10,
    make: (n) => [
      [{ role: 'user', content: 'a' }],
      { template: '{% for t in tools %}{{ t | tojson }}{% endfor %}', tools: many(n, tool), maxTokens: 1 },
    ],
  },
  'chat, variables': {
    file: chat,
    n: 1 << 14,
    make: (n) => [[{ role: 'user', content: 'a' }], { variables: Object.fromEntries(many(n, (i) => [`v${i}`, [i]])), maxTokens: 1 }],
  },
  'score, a text': { file: () => toyText(), n: 1 << 12, make: (n) => ['ab c '.repeat(n / 5)] },
  'score, ids': { file: () => toyText(), n: 1 << 11, make: (n) => [Array(n).fill(261)] },
  'score, texts': { file: () => toyText(), n: 64, make: (n) => [Array(n).fill('ab c')] },
  'score, a translation': { file: () => toyTranslation(), n: 1 << 17, make: (n) => ['a b', { source: 'ab c '.repeat(n / 5) }] },
  'attention, a text': { file: () => toyText(), n: 1 << 17, make: (n) => ['ab c '.repeat(n / 5)] },
  'attention, a translation': { file: () => toyTranslation(), n: 1 << 17, make: (n) => ['a b', { source: 'ab c '.repeat(n / 5) }] },
  'translate, a sentence': { file: () => toyTranslation(), n: 1 << 17, make: (n) => ['ab c '.repeat(n / 5)] },
  'translate, sentences': { file: () => toyTranslation(), n: 64, make: (n) => ['Ab c. '.repeat(n)] },
  'translate, ids': { file: `${GOLDEN}transformer-end.gguf`, n: 1 << 18, make: (n) => [Array(n).fill(1)] },
};

/** @type {Rows['sheets']} */
export const sheets = {
  async TextSheet({ canvas, doubled, list, painted, texts }) {
    const { TextSheet } = await import('../../../web/lib/kinds/text/text-sheet.js');
    for (const text of texts) {
      const whole = (/** @type {number} */ count) => [{ text: text.repeat(count), given: true }];
      doubled(`a text of ${JSON.stringify(text)} at once`, 1 << 16, whole, (steps) => painted(new TextSheet(canvas()), steps));
      const many = (/** @type {number} */ count) => list(count, () => ({ text, token: 1, nats: 1 }));
      doubled(`a text of ${JSON.stringify(text)}`, 1 << 14, many, (steps) => painted(new TextSheet(canvas()), steps));
    }
  },
  async AlignedSheet({ canvas, doubled, list, painted, texts }) {
    const { AlignedSheet } = await import('../../../web/lib/kinds/text/aligned-sheet.js');
    for (const text of texts) {
      const aligned = (/** @type {number} */ count) => list(count, (i) => ({ text: i % 3 ? text : ` ${text}`, token: 1, alignment: [1] }));
      doubled(`a translation of ${JSON.stringify(text)}`, 1 << 12, aligned, (steps) => painted(new AlignedSheet(canvas(), ['a']), steps));
    }
  },
};

/** @type {Rows['scaling']} */
export const scaling = {
  async 'many and long messages of a chat'({ doubled, list }) {
    const { atOnce } = await import('../../../web/lib/base/turns.js');
    const { checkedTalk } = await import('../../../web/lib/kinds/text/chat.js');
    const { prompting } = await import('../../../web/lib/kinds/text/template.js');
    const template = '{% for message in messages %}<s>{{ message.role }}: {{ message.content | trim }}</s>{% endfor %}<s>assistant: ';
    const read = (/** @type {any} */ messages) =>
      atOnce(prompting(checkedTalk(messages, template, {}), { bos_token: '<s>', eos_token: '</s>' }));
    const role = (/** @type {number} */ i) => (i % 2 ? 'assistant' : 'user');
    doubled('messages', 10000, (count) => list(count, (i) => ({ role: role(i), content: `message ${i}` })), read);
    for (const text of ['a', ' ', '<s>', 'a\n', '{{'])
      doubled(
        `a message of ${JSON.stringify(text)}`,
        1 << 20,
        (count) => [{ role: 'user', content: text.repeat(count / text.length) }],
        read,
      );
  },
};

/** @type {Rows['readers']} */
export const readers = {
  'tokenizer/vocabulary.js': 'a vocabulary: its tokens and merges, and its ids as text',
};

/** @type {Rows['bounds']} */
export const bounds = {
  maps: {
    'constraint.js #bytes': 'tokens of the file',
    'constraint.js #tokens': 'tokens of the file',
    'jinja/run.js names': 'the budget of a template',
    'jinja/filters.js NO_KEYWORDS': 'nothing is added',
    'tokenizer/bpe.js #words': /#words\.size >= MOST_WORDS/,
    'tokenizer/spm.js #symbols': 'tokens of the file',
    'tokenizer/spm.js #seen': /#seen\.size >= MOST_WORDS/,
    'tokenizer/spm.js #strange': /#strange\.size < MOST_WORDS/,
  },
  keys: ['nextpixel-chat'],
};
