// SPDX-License-Identifier: MIT
// @ts-check

/** Tests vocabularies as they occur in real files: tokens that end a text, stop strings, alternative names of pre-tokenizers, and unusual
 * entries. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tokenizer } from '../../web/lib/index.js';
import { writeGGUF } from './gguf.js';
import { isError, load } from './helpers.js';
import { TOKENS, toyText } from './toy-text.js';

/** @import { Typed } from './gguf.js' */
/** @import { TextStep } from '../../web/lib/index.js' */

/**
 * Returns a model with additional tokens of given types.
 * @param {[string, number][]} more
 * @param {Record<string, Typed | undefined>} [metadata]
 */
function withTokens(more, metadata = {}) {
  const tokens = [...TOKENS, ...more.map(([text]) => text)];
  const kinds = tokens.map((_, i) => more[i - TOKENS.length]?.[1] ?? (i === 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1));
  return toyText({
    values: tokens.length,
    metadata: {
      'tokenizer.ggml.tokens': ['array', 'string', tokens],
      'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
      'tokenizer.ggml.token_type': ['array', 'i32', kinds],
      ...metadata,
    },
  });
}

/** Makes a text model draw this token at every step, and returns the steps.
 * @param {import('../../web/lib/model/of-kind.js').AnyModel} model @param {number} token @param {object} [options] */
async function always(model, token, options = {}) {
  const run = model.generate([1, 5], { logitBias: { [token]: 1e9 }, maxTokens: 6, seed: 1, ...options });
  /** @type {TextStep[]} */
  const steps = [];
  for await (const step of run) steps.push(step);
  return { steps, finish: run.finish };
}

test('an end token is recognised by its name, whatever type the file gives it', async () => {
  for (const name of [
    '<|im_end|>',
    '<|eot_id|>',
    '<|end|>',
    '<end_of_turn>',
    '<|end_of_text|>',
    '<eos>',
    '[EOS]',
    '<|fim_pad|>',
    '<|file_sep|>',
    '<|return|>',
  ]) {
    for (const kind of [1, 3, 4]) {
      const model = await load(withTokens([[name, kind]]));
      const { steps, finish } = await always(model, TOKENS.length);
      assert.deepEqual([steps.length, finish], [0, 'end'], `${name} of type ${kind}`);
      assert.equal(model.tokenizer.kind(TOKENS.length), 'control');
      model.close();
    }
  }
  const model = await load(
    withTokens(
      [
        ['<other>', 3],
        ['<turn>', 3],
      ],
      { 'tokenizer.ggml.eot_token_id': ['u64', TOKENS.length + 1] },
    ),
  );
  assert.equal((await always(model, TOKENS.length)).finish, 'length');
  assert.equal((await always(model, TOKENS.length + 1)).finish, 'end');
  model.close();
});

test('a stop that is or contains a control token ends the run', async () => {
  const model = await load(
    withTokens([
      ['<|im_start|>', 3],
      ['<|user|>', 3],
      ['user', 1],
    ]),
  );
  const [start, other, user] = [0, 1, 2].map((i) => TOKENS.length + i);
  for (const stop of ['<|im_start|>', ['never', '<|im_start|>']]) {
    assert.deepEqual(await always(model, start, { stop }), { steps: [], finish: 'stop' });
    assert.equal((await always(model, other, { stop })).finish, 'length');
  }
  // Allows the model to draw only two tokens, a control token and a word, in any order.
  const two = async (/** @type {string} */ stop) => {
    const run = model.generate([1, 5], { logitBias: { [start]: 1e8, [user]: 1e8 }, frequencyPenalty: 100, seed: 4, maxTokens: 30, stop });
    let last = -1;
    for await (const { token } of run) last = token;
    return { finish: run.finish, last, ids: [...run.ids] };
  };
  const { finish, ids } = await two('<|im_start|>user');
  assert.equal(finish, 'stop');
  assert.ok(
    !ids.includes(start) || ids.indexOf(user) < ids.lastIndexOf(start) || !ids.some((id, i) => id === start && ids[i + 1] === user),
  );
  assert.equal((await two('im_start')).finish, 'length', 'the letters in the name of a control token are not text');
  assert.equal((await two('user')).finish, 'stop');
  model.close();
});

/** Returns a byte-pair vocabulary. @param {Record<string, Typed | undefined>} [changes] @param {string[]} [more] */
const pairs = (changes = {}, more = []) => {
  let hidden = 0;
  const letters = Array.from({ length: 256 }, (_, byte) =>
    (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad) ? String.fromCharCode(byte) : String.fromCharCode(256 + hidden++),
  );
  const tokens = [...letters, 'ab', '<|begin|>', ...more];
  return /** @type {Record<string, Typed | undefined>} */ ({
    'tokenizer.ggml.model': ['string', 'gpt2'],
    'tokenizer.ggml.pre': ['string', 'qwen2'],
    'tokenizer.ggml.tokens': ['array', 'string', tokens],
    'tokenizer.ggml.scores': undefined,
    'tokenizer.ggml.merges': ['array', 'string', ['a b']],
    'tokenizer.ggml.bos_token_id': undefined,
    'tokenizer.ggml.eos_token_id': undefined,
    'tokenizer.ggml.token_type': ['array', 'i32', tokens.map((_, i) => (i === 257 ? 3 : 1))],
    ...changes,
  });
};
/** @param {Record<string, Typed | undefined>} metadata */
const file = (metadata) =>
  writeGGUF({
    metadata: /** @type {Record<string, Typed>} */ (Object.fromEntries(Object.entries(metadata).filter(([, value]) => value))),
    tensors: {},
  });

test('a pre-tokenizer is recognised by an alternative name or by the architecture; otherwise there is a warning', async () => {
  const text = "I'LL pay 12345 \n\n don't";
  const ids = async (/** @type {Record<string, Typed | undefined>} */ changes) => {
    const own = await tokenizer(file(pairs(changes)));
    return { ids: [...own.encode(text)].join(), warnings: own.warnings };
  };
  const named = (/** @type {string} */ name) => ids({ 'tokenizer.ggml.pre': ['string', name] });
  for (const [name, other] of [
    ['qwen2', 'deepseek-r1-qwen'],
    ['llama-bpe', 'llama3'],
    ['llama-bpe', 'falcon3'],
    ['gpt-2', 'phi-2'],
    ['qwen2', 'stablelm2'],
  ]) {
    assert.deepEqual(await named(other), await named(name), other);
  }
  for (const [architecture, name] of [
    ['qwen2', 'qwen2'],
    ['qwen3', 'qwen2'],
    ['gpt2', 'gpt-2'],
  ]) {
    const without = await ids({ 'tokenizer.ggml.pre': undefined, 'general.architecture': ['string', architecture] });
    assert.deepEqual(without, await named(name));
  }
  const unsaid = await ids({ 'tokenizer.ggml.pre': undefined, 'general.architecture': ['string', 'llama'] });
  assert.match(unsaid.warnings[0], /names no pre-tokenizer/);
});

test('with an unknown pre-tokenizer, tokens are only numbers, and there is a warning', async () => {
  const metadata = pairs({ 'tokenizer.ggml.pre': ['string', 'klingon'] });
  const model = await load(toyText({ values: 258, metadata }));
  assert.match(model.info.warnings[0], /does not support the pre-tokenizer .*"klingon"/);
  assert.throws(
    () => model.generate('a'),
    isError('unsupported', /"klingon" is not one of the supported pre-tokenizers: gpt-2, .*Use token ids instead of text/),
  );
  const run = model.generate([97, 98], { maxTokens: 5, seed: 1 });
  assert.equal(await run.text(), model.tokenizer.decode(run.ids).slice(model.tokenizer.decode([97, 98]).length));
  model.close();
});

test('the Qwen tokenizers first compose letters and their combining marks; other tokenizers leave them unchanged', async () => {
  for (const [name, same] of /** @type {[string, boolean][]} */ ([
    ['qwen2', true],
    ['deepseek-r1-qwen', true],
    ['gpt-2', false],
    ['llama-bpe', false],
  ])) {
    const own = await tokenizer(file(pairs({ 'tokenizer.ggml.pre': ['string', name] })));
    assert.equal([...own.encode('cafe\u0301 \u1112\u1161\u11ab')].join() === [...own.encode('caf\u00e9 \ud55c')].join(), same, name);
  }
});

test('one begin token, end ids beyond the vocabulary, and integers of any type are accepted', async () => {
  const own = await tokenizer(file(pairs({ 'tokenizer.ggml.bos_token_id': ['u32', 257], 'tokenizer.ggml.add_bos_token': ['bool', true] })));
  for (const text of ['<|begin|>ab', 'ab']) assert.deepEqual([...own.encode(text, { special: true })], [257, 256]);
  assert.deepEqual([...own.encode('ab<|begin|>', { special: true })], [257, 256, 257]);
  const odd = await load(
    toyText({
      metadata: { 'tokenizer.ggml.eos_token_id': ['u32', 32000], 'llama.block_count': ['u64', 1], 'llama.context_length': ['i32', 64] },
    }),
  );
  assert.match(odd.info.warnings[0], /eos_token_id is 32000, and there are \d+ tokens: it is ignored/);
  assert.equal(odd.info.positions, 64);
  assert.equal(odd.tokenizer.end, undefined);
  odd.close();
  const none = await tokenizer(
    file(pairs({ 'tokenizer.ggml.eos_token_id': ['u32', 2 ** 32 - 1], 'tokenizer.ggml.bos_token_id': ['i32', -1] })),
  );
  assert.deepEqual([none.end, none.begin, none.warnings], [undefined, undefined, []]);
});
