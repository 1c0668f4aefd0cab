// SPDX-License-Identifier: MIT
// @ts-check

/** Random models of texts with weights of Q8_0 and keys that have a few channels far larger than the others, and the same with floats. */

import { F32, Q8_0, writeGGUF } from './gguf.js';

/** @import { Tensor, Typed } from './gguf.js' */

/** Normal deviates. @param {number} seed */
export function gaussian(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform());
}

/** The nearest half of a positive number: its bits, and what they mean. @param {number} x @returns {[number, number]} */
export function halfOf(x) {
  const exponent = Math.floor(Math.log2(x));
  const steps = Math.round((x / 2 ** exponent - 1) * 1024);
  return steps === 1024 ? [(exponent + 16) << 10, 2 ** (exponent + 1)] : [((exponent + 15) << 10) | steps, (1 + steps / 1024) * 2 ** exponent];
}

/**
 * Q8_0: blocks of 32 numbers, a half and 32 bytes.
 *
 * @param {Float32Array} numbers
 * @returns {{ bytes: Uint8Array, means: Float32Array }} means: what they became
 */
function rounded(numbers) {
  const blocks = numbers.length / 32;
  const bytes = new Uint8Array(34 * blocks);
  const means = new Float32Array(numbers.length);
  for (let b = 0; b < blocks; b++) {
    const [bits, scale] = halfOf(Math.max(...numbers.subarray(32 * b, 32 * b + 32).map(Math.abs)) / 127);
    bytes.set([bits & 255, bits >> 8], 34 * b);
    for (let i = 0; i < 32; i++) {
      const step = Math.max(-127, Math.min(127, Math.round(numbers[32 * b + i] / scale)));
      bytes[34 * b + 2 + i] = step & 255;
      means[32 * b + i] = step * scale;
    }
  }
  return { bytes, means };
}

/**
 * @param {{ key?: number, query?: number, exact?: boolean, architecture?: string, biases?: boolean }} [options]  key, query: the biases of two
 *   channels of each head; exact: its weights are floats, with the same values
 * @returns {Uint8Array<ArrayBuffer>} a weight file of 300 tokens without a vocabulary
 */
export function toyQwen({ key = 0, query = 0, exact = false, architecture = 'qwen2', biases = true } = {}) {
  const [d, k, heads, groups, inner, blocks, values] = [256, 64, 4, 2, 512, 4, 300];
  const random = gaussian(5);
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  const matrix = (/** @type {string} */ name, /** @type {number} */ rows, /** @type {number} */ cols, scale = 1 / Math.sqrt(cols)) => {
    const { bytes, means } = rounded(Float32Array.from({ length: rows * cols }, () => random() * scale));
    tensors[name] = { shape: [rows, cols], type: exact ? F32 : Q8_0, data: exact ? means : bytes };
  };
  const vector = (/** @type {string} */ name, /** @type {number[]} */ data) => {
    tensors[name] = { shape: [data.length], type: F32, data: Float32Array.from(data) };
  };
  const biasOf = (/** @type {number} */ n, /** @type {number} */ large, /** @type {number} */ at) => {
    const bias = Array.from({ length: n * k }, () => 0.1 * random());
    for (let head = 0; head < n; head++) [bias[head * k + at], bias[head * k + at + 7]] = [large, -large];
    return bias;
  };
  const ones = Array(d).fill(1);
  matrix('token_embd.weight', values, d, 1);
  for (let i = 0; i < blocks; i++) {
    const of = (/** @type {string} */ part) => `blk.${i}.${part}`;
    vector(of('attn_norm.weight'), ones);
    vector(of('ffn_norm.weight'), ones);
    matrix(of('attn_q.weight'), heads * k, d);
    matrix(of('attn_k.weight'), groups * k, d);
    matrix(of('attn_v.weight'), groups * k, d);
    matrix(of('attn_output.weight'), d, heads * k);
    if (biases) {
      vector(of('attn_q.bias'), biasOf(heads, query, 25));
      vector(of('attn_k.bias'), biasOf(groups, key, 20));
      vector(of('attn_v.bias'), biasOf(groups, 0.1, 3));
    }
    matrix(of('ffn_gate.weight'), inner, d);
    matrix(of('ffn_up.weight'), inner, d);
    matrix(of('ffn_down.weight'), d, inner);
  }
  vector('output_norm.weight', ones);
  matrix('output.weight', values, d, 2 / Math.sqrt(d));
  /** @type {Record<string, Typed>} */
  const metadata = { 'general.architecture': ['string', architecture] };
  for (const [name, value] of Object.entries({ context_length: 512, embedding_length: d, block_count: blocks, feed_forward_length: inner,
    'attention.head_count': heads, 'attention.head_count_kv': groups })) metadata[`${architecture}.${name}`] = ['u32', value];
  metadata[`${architecture}.attention.layer_norm_rms_epsilon`] = ['f32', 1e-6];
  metadata[`${architecture}.rope.freq_base`] = ['f32', 1e6];
  return writeGGUF({ metadata, tensors });
}
