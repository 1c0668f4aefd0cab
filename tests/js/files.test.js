// SPDX-License-Identifier: MIT
// @ts-check

/** Loads unsuitable files: the error must name the type of the file. Files in older formats, or with other weight types, must run. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { tokenizer } from '../../web/lib/index.js';
import { RUNS } from '../../web/lib/gguf/sniff.js';
import { F32, writeGGUF } from './gguf.js';
import { GOLDEN, isError, load } from './helpers.js';
import { gaussian, halfOf } from './toy-qwen.js';
import { TOKENS, toyText } from './toy-text.js';

/** @import { Typed } from './gguf.js' */

const ENDLESS = { logitBias: { 1: -Infinity, 2: -Infinity }, seed: 1, maxTokens: 12 };

test('the error for a file that is not a text model says what the file is', async () => {
  /** @type {[Record<string, Typed | undefined>, RegExp][]} */
  const cases = [
    [{ 'general.type': ['string', 'adapter'] }, /a LoRA adapter, not a model: merge it/],
    [{ 'adapter.type': ['string', 'lora'] }, /a LoRA adapter/],
    [{ 'general.type': ['string', 'mmproj'] }, /an image projector/],
    [{ 'general.architecture': ['string', 'clip'] }, /an image projector/],
    [{ 'llama.pooling_type': ['u32', 1] }, /an embedding model, which writes no text/],
    [{ 'general.architecture': ['string', 'nomic-bert'] }, /an embedding model/],
    [
      { 'general.architecture': ['string', 'rwkv7'] },
      /rwkv7: an architecture that this library does not have.* models are llama, qwen2, .* suitable files .*Which file/,
    ],
    [{ 'llama.expert_count': ['u32', 8] }, /llama.expert_count: a mixture of experts.* models are llama/],
  ];
  for (const [metadata, message] of cases)
    await assert.rejects(load(toyText({ metadata })), isError('unsupported', message), String(message));
  const alone = writeGGUF({
    metadata: {
      'general.architecture': ['string', 'llama'],
      'tokenizer.ggml.model': ['string', 'llama'],
      'tokenizer.ggml.tokens': ['array', 'string', ['a', 'b', 'c']],
      'tokenizer.ggml.scores': ['array', 'f32', [0, 0, 0]],
    },
    tensors: {},
  });
  await assert.rejects(load(alone.slice()), isError('unsupported', /a vocabulary without weights, which tokenizer\(\) reads/));
  assert.equal((await tokenizer(alone)).size, 3);
});

test('the error about an unknown architecture lists the architectures of the engine', async () => {
  const text = await readFile(new URL('../../src/models/llama.c', import.meta.url), 'utf8');
  const named = [...text.matchAll(/\bnx_arch nx_\w+ = \{\.name = "([\w-]+)"/g)].map(([, name]) => name);
  assert.deepEqual([...RUNS].sort(), [...named, 'gpt2'].sort());
});

test('GGUF version 2 is read; versions 1 and 4 are refused', async () => {
  const texts = [];
  for (const version of [3, 2]) {
    const file = toyText();
    file[4] = version;
    assert.equal((await tokenizer(file.slice())).size, TOKENS.length);
    const model = await load(file);
    texts.push(await model.generate('ab', ENDLESS).text());
    model.close();
  }
  assert.equal(texts[0], texts[1]);
  for (const version of [1, 4]) {
    const file = toyText();
    file[4] = version;
    await assert.rejects(load(file), isError('unsupported', /neither 2 nor 3/));
  }
});

test('each key of YaRN is applied or refused', async () => {
  const yarn = {
    'llama.rope.scaling.type': ['string', 'yarn'],
    'llama.rope.scaling.factor': ['f32', 4],
    'llama.rope.scaling.original_context_length': ['u32', 16],
  };
  const cost = async (/** @type {Record<string, Typed>} */ more) => {
    const model = await load(toyText({ context: 128, metadata: { ...yarn, ...more } }));
    const { nats } = await model.score(Array.from({ length: 100 }, (_, i) => 3 + ((i * 7) % 250)));
    model.close();
    return nats;
  };
  const plain = await cost({});
  const key = (/** @type {string} */ name) => `llama.rope.scaling.${name}`;
  for (const [name, value] of /** @type {[string, number][]} */ ([
    ['yarn_beta_fast', 32],
    ['yarn_beta_slow', 1],
    ['yarn_attn_factor', 1],
    ['yarn_ext_factor', 1],
    ['yarn_log_multiplier', 0],
    ['attn_factor', 1],
  ])) {
    assert.equal(await cost({ [key(name)]: ['f32', value] }), plain, name);
  }
  for (const name of ['yarn_attn_factor', 'yarn_ext_factor', 'yarn_log_multiplier', 'attn_factor']) {
    await assert.rejects(cost({ [key(name)]: ['f32', 0.5] }), isError('unsupported', new RegExp(`${name}.*YaRN with a factor of its own`)));
  }
  // With a small base, this narrow model has rotation frequencies on both sides of YaRN's bounds.
  /** @type {Record<string, Typed>} */
  const base = { 'llama.rope.freq_base': ['f32', 10] };
  /** @type {Record<string, Typed>} */
  const slow = { ...base, [key('yarn_beta_slow')]: ['f32', 0.25] };
  const costs = [await cost(base), await cost(slow), await cost({ ...slow, [key('yarn_beta_fast')]: ['f32', 0.5] })];
  assert.equal(new Set(costs).size, 3, String(costs));
  await assert.rejects(cost({ [key('yarn_beta_fast')]: ['f32', 0.5] }), isError('format', /not larger than yarn_beta_slow/));
});

test('a key that changes the computation is applied or refused, and its default value changes nothing', async () => {
  const cost = async (/** @type {Record<string, Typed>} */ more) => {
    const model = await load(toyText({ context: 64, metadata: more }));
    const { nats } = await model.score(Array.from({ length: 40 }, (_, i) => 3 + ((i * 7) % 250)));
    model.close();
    return nats;
  };
  const plain = await cost({});
  for (const [name, type, neutral, other] of /** @type {[string, string, number | boolean, number | boolean][]} */ ([
    ['attention.causal', 'bool', true, false],
    ['attention.clamp_kqv', 'f32', 0, 8],
    ['attention.max_alibi_bias', 'f32', 0, 8],
    ['attention.scale', 'f32', 0, 0.5],
    ['attention.output_scale', 'f32', 1, 2],
    ['attention.temperature_length', 'u32', 0, 8192],
    ['attention.temperature_scale', 'f32', 0, 0.1],
    ['attention.q_lora_rank', 'u32', 0, 16],
    ['attention.kv_lora_rank', 'u32', 0, 16],
    ['attention.key_length_mla', 'u32', 0, 16],
    ['attention.value_length_mla', 'u32', 0, 16],
    ['attention.key_length_swa', 'u32', 0, 16],
    ['attention.value_length_swa', 'u32', 0, 16],
    ['attention.shared_kv_layers', 'u32', 0, 1],
    ['attention.relative_buckets_count', 'u32', 0, 32],
    ['attn_logit_softcapping', 'f32', 0, 5],
    ['final_logit_softcapping', 'f32', 0, 5],
    ['embedding_length_per_layer_input', 'u32', 0, 8],
    ['embedding_scale', 'f32', 1, 2],
    ['residual_scale', 'f32', 1, 2],
    ['logit_scale', 'f32', 1, 2],
    ['expert_count', 'u32', 0, 2],
    ['rope.dimension_count_swa', 'u32', 0, 4],
    ['rope.freq_base', 'f32', 10000, 500],
    ['rope.scale_linear', 'f32', 1, 2],
    ['rope.scaling.factor', 'f32', 1, 2],
    ['rope.scaling.attn_factor', 'f32', 1, 2],
    ['rope.scaling.yarn_attn_factor', 'f32', 1, 2],
    ['rope.scaling.yarn_ext_factor', 'f32', 0, 1],
    ['rope.scaling.alpha', 'f32', 1, 1000],
    ['use_parallel_residual', 'bool', false, true],
  ])) {
    const key = `llama.${name}`;
    assert.equal(await cost({ [key]: /** @type {Typed} */ ([type, neutral]) }), plain, name);
    const changed = await cost({ [key]: /** @type {Typed} */ ([type, other]) }).catch((error) => error);
    if (typeof changed === 'number') assert.notEqual(changed, plain, `${name} is ignored`);
    else assert.ok(isError('unsupported', new RegExp(name.replaceAll('.', '\\.')))(changed), `${name}: ${changed}`);
  }
  await assert.rejects(
    cost({ 'llama.rope.dimension_sections': ['array', 'i32', [8, 8, 8, 0]] }),
    isError('unsupported', /dimension_sections/),
  );
});

/** The values that the 16 codes of IQ4_NL stand for. */
const LEVELS = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

test('weights in IQ4_NL and IQ4_XS give the same nats as the floats that they encode', async () => {
  const random = gaussian(3);
  /** Returns random rows of a type, with their values. @param {number} type  @param {number} count */
  const rows = (type, count) => {
    const block = type === 20 ? 32 : 256;
    const bytes = [];
    const means = [];
    for (let b = 0; b < count / block; b++) {
      const [bits, scale] = halfOf((type === 20 ? 0.001 : 0.0001) * (1 + Math.abs(random())));
      bytes.push(bits & 255, bits >> 8);
      const codes = Array.from({ length: block }, () => Math.floor(Math.abs(random()) * 7.9) % 16);
      const scales = Array.from({ length: block / 32 }, () => (type === 20 ? 1 : (Math.floor(Math.abs(random()) * 20) % 64) - 32));
      if (type === 23) {
        const high = scales.reduce((sum, s, i) => sum | (((s + 32) >> 4) << (2 * i)), 0);
        bytes.push(
          high & 255,
          high >> 8,
          ...Array.from({ length: 4 }, (_, i) => ((scales[2 * i] + 32) & 15) | (((scales[2 * i + 1] + 32) & 15) << 4)),
        );
      }
      for (let part = 0; part < block; part += 32) for (let i = 0; i < 16; i++) bytes.push(codes[part + i] | (codes[part + 16 + i] << 4));
      means.push(...codes.map((code, i) => scale * scales[i >> 5] * LEVELS[code]));
    }
    return { bytes: Uint8Array.from(bytes), means: Float32Array.from(means) };
  };
  for (const type of [20, 23]) {
    /** @type {Float32Array[]} */
    const nats = [];
    const matrix = rows(type, 512 * 256);
    for (const exact of [false, true]) {
      const d = 256;
      const eye = (/** @type {number} */ scale) => {
        const data = new Float32Array(d * d);
        for (let i = 0; i < d; i++) data[i * d + i] = scale;
        return { shape: [d, d], type: F32, data };
      };
      const ones = { shape: [d], type: F32, data: new Float32Array(d).fill(1) };
      const tensors = {
        'token_embd.weight': { shape: [512, d], type: exact ? F32 : type, data: exact ? matrix.means : matrix.bytes },
        'blk.0.attn_norm.weight': ones,
        'blk.0.ffn_norm.weight': ones,
        'output_norm.weight': ones,
        ...Object.fromEntries(
          ['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'].map((part) => [`blk.0.${part}.weight`, eye(0.1)]),
        ),
      };
      const metadata = /** @type {Record<string, Typed>} */ (
        Object.fromEntries([
          ['general.architecture', ['string', 'llama']],
          ...Object.entries({
            context_length: 64,
            embedding_length: d,
            block_count: 1,
            feed_forward_length: d,
            'attention.head_count': 4,
          }).map(([key, value]) => [`llama.${key}`, ['u32', value]]),
        ])
      );
      const model = await load(writeGGUF({ metadata, tensors }));
      nats.push((await model.score(Array.from({ length: 30 }, (_, i) => (i * 97) % 512))).perToken);
      model.close();
    }
    nats[0].forEach((cost, i) => assert.ok(Math.abs(cost - nats[1][i]) < 0.02, `${type}: ${cost}, ${nats[1][i]}`));
  }
});

test('models related to Llama generate text and return their attention maps', async () => {
  for (const [name, window, period] of /** @type {[string, number, number][]} */ ([
    ['qwen3-tiny', 0, 1],
    ['qwen3-q8_0', 0, 1],
    ['gemma3-tiny', 5, 6],
    ['gemma2-tiny', 5, 2],
    ['olmo2-tiny', 0, 1],
    ['exaone4-tiny', 6, 4],
    ['smollm3-tiny', 0, 1],
    ['granite-tiny', 0, 1],
    ['phi3-tiny', 9, 1e9],
    ['ernie4_5-tiny', 0, 1],
  ])) {
    const model = await load(new Uint8Array(await readFile(`${GOLDEN}${name}.gguf`)));
    assert.equal(model.info.architecture, name.split('-')[0]);
    let step = 0;
    for await (const { maps = [] } of model.generate([1, 2, 3], { maps: true, seed: 1, maxTokens: 15 })) {
      maps.forEach(({ layer, queries, keys, weights }) => {
        const local = window > 0 && (layer + 1) % period > 0;
        assert.equal(keys.length, local ? Math.min(window, 3 + step) : 3 + step, `layer ${layer} of step ${step}`);
        assert.deepEqual([keys[keys.length - 1], ...queries], [2 + step, 3 + step]);
        assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-3);
      });
      step++;
    }
    model.close();
  }
});
