// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Random text models in which a few channels of the attention keys are far larger than the others. The weights are stored in Q8_0; each
 * model is also available with the same weights as floats.
 */

import { F32, Q8_0, writeGGUF } from './gguf.js';

/** @import { Tensor, Typed } from './gguf.js' */

/** Returns a generator of normally distributed random numbers. @param {number} seed */
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

/** Rounds a positive number to half precision; returns its bits and its value. @param {number} x @returns {[number, number]} */
export function halfOf(x) {
  const exponent = Math.floor(Math.log2(x));
  const steps = Math.round((x / 2 ** exponent - 1) * 1024);
  return steps === 1024
    ? [(exponent + 16) << 10, 2 ** (exponent + 1)]
    : [((exponent + 15) << 10) | steps, (1 + steps / 1024) * 2 ** exponent];
}

/**
 * Rounds numbers to Q8_0: each block of 32 numbers has a half-precision scale and 32 bytes.
 *
 * @param {Float32Array} numbers
 * @returns {{ bytes: Uint8Array, means: Float32Array }} means: the values that the bytes stand for
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

const [D, K, HEADS, GROUPS, INNER, BLOCKS, VALUES] = [256, 64, 4, 2, 512, 4, 300];

/**
 * The rounded matrices and the biases that these models share. Generating them takes a second. Two channels of each head's bias are set
 * later.
 *
 * @typedef {{ matrices: Record<string, { shape: number[], bytes: Uint8Array, means: Float32Array }>, biases: Record<string, number[]> }} Drawn
 * @type {Map<boolean, Drawn>}
 */
const drawn = new Map();

/** @param {boolean} withBiases @returns {Drawn} */
function draw(withBiases) {
  const random = gaussian(5);
  /** @type {Drawn} */
  const all = { matrices: {}, biases: {} };
  const matrix = (/** @type {string} */ name, /** @type {number} */ rows, /** @type {number} */ cols, scale = 1 / Math.sqrt(cols)) => {
    all.matrices[name] = { shape: [rows, cols], ...rounded(Float32Array.from({ length: rows * cols }, () => random() * scale)) };
  };
  const bias = (/** @type {string} */ name, /** @type {number} */ heads) => {
    all.biases[name] = Array.from({ length: heads * K }, () => 0.1 * random());
  };
  matrix('token_embd.weight', VALUES, D, 1);
  for (let i = 0; i < BLOCKS; i++) {
    const of = (/** @type {string} */ part) => `blk.${i}.${part}`;
    matrix(of('attn_q.weight'), HEADS * K, D);
    matrix(of('attn_k.weight'), GROUPS * K, D);
    matrix(of('attn_v.weight'), GROUPS * K, D);
    matrix(of('attn_output.weight'), D, HEADS * K);
    if (withBiases) {
      bias(of('attn_q.bias'), HEADS);
      bias(of('attn_k.bias'), GROUPS);
      bias(of('attn_v.bias'), GROUPS);
    }
    matrix(of('ffn_gate.weight'), INNER, D);
    matrix(of('ffn_up.weight'), INNER, D);
    matrix(of('ffn_down.weight'), D, INNER);
  }
  matrix('output.weight', VALUES, D, 2 / Math.sqrt(D));
  return all;
}

/**
 * @param {{ key?: number, query?: number, exact?: boolean, architecture?: string, biases?: boolean }} [options]
 *   - key, query: biases of two channels of each head
 *   - exact: whether to store the same weights as floats
 * @returns {Uint8Array<ArrayBuffer>} a weight file of a model with 300 token ids and no vocabulary
 */
export function toyQwen({ key = 0, query = 0, exact = false, architecture = 'qwen2', biases = true } = {}) {
  const all = drawn.get(biases) ?? draw(biases);
  drawn.set(biases, all);
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  for (const [name, { shape, bytes, means }] of Object.entries(all.matrices))
    tensors[name] = { shape, type: exact ? F32 : Q8_0, data: exact ? means : bytes };
  const vector = (/** @type {string} */ name, /** @type {ArrayLike<number>} */ data) => {
    tensors[name] = { shape: [data.length], type: F32, data: Float32Array.from(data) };
  };
  for (const [name, plain] of Object.entries(all.biases)) {
    const [large, at] = /** @type {Record<string, [number, number]>} */ ({ q: [query, 25], k: [key, 20], v: [0.1, 3] })[
      /attn_(.)/.exec(name)?.[1] ?? ''
    ];
    const bias = [...plain];
    for (let head = 0; head < bias.length; head += K) [bias[head + at], bias[head + at + 7]] = [large, -large];
    vector(name, bias);
  }
  const ones = Array(D).fill(1);
  for (let i = 0; i < BLOCKS; i++) for (const norm of ['attn_norm', 'ffn_norm']) vector(`blk.${i}.${norm}.weight`, ones);
  vector('output_norm.weight', ones);
  /** @type {Record<string, Typed>} */
  const metadata = { 'general.architecture': ['string', architecture] };
  for (const [name, value] of Object.entries({
    context_length: 512,
    embedding_length: D,
    block_count: BLOCKS,
    feed_forward_length: INNER,
    'attention.head_count': HEADS,
    'attention.head_count_kv': GROUPS,
  }))
    metadata[`${architecture}.${name}`] = ['u32', value];
  metadata[`${architecture}.attention.layer_norm_rms_epsilon`] = ['f32', 1e-6];
  metadata[`${architecture}.rope.freq_base`] = ['f32', 1e6];
  return writeGGUF({ metadata, tensors });
}
