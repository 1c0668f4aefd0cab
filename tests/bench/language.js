// SPDX-License-Identifier: MIT
// @ts-check

/** Makes language models with random weights, in common shapes and weight types, for all runtimes that read GGUF. */

import { F16, F32, Q8_0, writeGGUF } from '../js/gguf.js';
import { floats, normal, q4_0, q8_0 } from './random.js';

/**
 * @typedef {object} LlamaShape
 * @property {number} width
 * @property {number} blocks
 * @property {number} heads
 * @property {number} inner   width of the feed-forward network
 * @property {number} values  number of ids in the vocabulary
 * @property {number} length  maximum number of positions
 * @property {number} [kvHeads]    number of key and value heads; the default is the number of query heads
 * @property {number} [keyLength]  width of a head
 * @property {'llama' | 'qwen3'} [arch]
 */

/** The shapes of stories15M and stories110M, SmolLM2-135M, Qwen3-0.6B and Llama-3.2-1B. @type {Readonly<Record<string, LlamaShape>>} */
export const LLAMAS = Object.freeze({
  '15M': { width: 288, blocks: 6, heads: 6, inner: 768, values: 32000, length: 1024 },
  '110M': { width: 768, blocks: 12, heads: 12, inner: 2048, values: 32000, length: 1024 },
  '135M': { width: 576, blocks: 30, heads: 9, kvHeads: 3, inner: 1536, values: 49152, length: 8192 },
  '0.6B': { width: 1024, blocks: 28, heads: 16, kvHeads: 8, keyLength: 128, inner: 3072, values: 151936, length: 4096, arch: 'qwen3' },
  '1B': { width: 2048, blocks: 16, heads: 32, kvHeads: 8, inner: 8192, values: 128256, length: 4096 },
});

/**
 * The weight types, with these fields:
 * - number: the GGUF code for the type
 * - values, bytes: numbers of weights and of bytes in a block
 * - halves: [position in the block, bits] of each half-precision number of a block (its scales and minimum)
 *
 * The scales and minima turn random bytes into weights of about 0.02. None of these weights is subnormal, because subnormal numbers are
 * slow.
 *
 * @type {Record<string, { number: number, values: number, bytes: number, halves: [at: number, value: number][] }>}
 */
export const WEIGHTS = {
  f16: { number: F16, values: 1, bytes: 2, halves: [] },
  q8_0: { number: Q8_0, values: 32, bytes: 34, halves: [[0, 0x0cb3]] },
  q6_k: { number: 14, values: 256, bytes: 210, halves: [[208, 0x0400]] },
  q5_k: {
    number: 13,
    values: 256,
    bytes: 176,
    halves: [
      [0, 0x0400],
      [2, 0x1000],
    ],
  },
  q4_k: {
    number: 12,
    values: 256,
    bytes: 144,
    halves: [
      [0, 0x0600],
      [2, 0x1180],
    ],
  },
  q5_0: { number: 6, values: 32, bytes: 22, halves: [[0, 0x1800]] },
  q4_0: { number: 2, values: 32, bytes: 18, halves: [[0, 0x1c00]] },
};

/** The random numbers repeat with this period. Generating a hundred million different numbers would take a long time, and the timings would
 * be the same. */
export const POOL = 1 << 20;

/** Types that are used instead if the length of a row is not a multiple of 256. @type {Record<string, string>} */
const FALLBACK = { q4_k: 'q5_0', q6_k: 'q8_0' };

/**
 * Returns the type that llama.cpp would give a matrix. The output layer, which is also the embedding table, gets a type with more bits per
 * weight than the type of the file. In Q4_K_M, two matrices also have more bits in some blocks: in the first eighth of the blocks, in the
 * last eighth, and in every third block between them.
 *
 * @param {string} type  weight type of the file
 * @param {string} part
 * @param {number} cols
 * @param {number} index  index of the block
 * @param {number} blocks
 */
export function typeOf(type, part, cols, index, blocks) {
  const eighth = Math.floor(blocks / 8);
  const more = index < eighth || index >= 7 * eighth || (index - eighth) % 3 === 2;
  let chosen = type === 'q4_k_m' ? 'q4_k' : type;
  if (part === 'token_embd' && chosen !== 'q8_0' && chosen !== 'f16') chosen = 'q6_k';
  if (type === 'q4_k_m' && more && (part === 'attn_v' || part === 'ffn_down')) chosen = 'q6_k';
  return cols % WEIGHTS[chosen].values ? FALLBACK[chosen] : chosen;
}

/**
 * Returns the matrices of a model: name, type, rows, columns.
 * @param {LlamaShape} shape
 * @param {string} type
 * @returns {[string, string, number, number][]}
 */
function matrices(shape, type) {
  const { width, blocks, heads, inner, values } = shape,
    k = shape.keyLength ?? width / heads;
  const query = heads * k,
    key = (shape.kvHeads ?? heads) * k;
  /** @type {[string, number, number][]} */
  const parts = [
    ['attn_q', query, width],
    ['attn_k', key, width],
    ['attn_v', key, width],
    ['attn_output', width, query],
    ['ffn_gate', inner, width],
    ['ffn_up', inner, width],
    ['ffn_down', width, inner],
  ];
  return [
    ['token_embd.weight', typeOf(type, 'token_embd', width, 0, blocks), values, width],
    ...Array.from({ length: blocks }, (_, i) =>
      parts.map(
        ([part, rows, cols]) =>
          /** @type {[string, string, number, number]} */ ([`blk.${i}.${part}.weight`, typeOf(type, part, cols, i, blocks), rows, cols]),
      ),
    ).flat(),
  ];
}

/** Returns the number of multiply-adds of the matrices in one step. @param {LlamaShape} shape */
export const weightsOf = (shape) => matrices(shape, 'q8_0').reduce((sum, [, , rows, cols]) => sum + rows * cols, 0);

/** Returns the size in bytes of all matrices in the file. A step reads all of them. @param {LlamaShape} shape @param {string} type */
export const bytesOf = (shape, type) =>
  matrices(shape, type).reduce((sum, [, of, rows, cols]) => sum + ((rows * cols) / WEIGHTS[of].values) * WEIGHTS[of].bytes, 0);

/** Returns random weights of a type. @param {string} type @returns {Uint8Array} */
function encoded(type) {
  if (type === 'q8_0' || type === 'q4_0') return (type === 'q8_0' ? q8_0 : q4_0)(floats(normal(1), POOL, 1).map((x) => x * 0.02));
  const { values, bytes, halves } = WEIGHTS[type];
  const data = new Uint8Array((POOL / values) * bytes),
    view = new DataView(data.buffer);
  let state = 1;
  for (let i = 0; i < data.length; i++) data[i] = (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24;
  for (let at = 0; at < data.length; at += bytes) for (const [byte, half] of halves) view.setUint16(at + byte, half, true);
  // weights of about 0.01, positive or negative
  if (type === 'f16') for (let at = 0; at < data.length; at += 2) view.setUint16(at, 0x2000 | (view.getUint16(at, true) & 0x83ff), true);
  return data;
}

/**
 * Returns a weight file that both nextpixel and wllama can read. Every token is printable, because wllama requires it.
 *
 * @param {LlamaShape} shape
 * @param {string} type
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function llamaModel(shape, type) {
  const { width, blocks, heads, inner, values, length, kvHeads = heads, arch = 'llama' } = shape,
    keyLength = shape.keyLength ?? width / heads;
  /** @type {Record<string, Uint8Array>} */
  const pools = {};
  /** @type {Record<string, import('../js/gguf.js').Tensor>} */
  const tensors = {};
  /** @param {string} name @param {number} [size] */
  const norm = (name, size = width) => {
    tensors[`${name}.weight`] = { shape: [size], type: F32, data: new Float32Array(size).fill(1) };
  };
  for (const [name, of, rows, cols] of matrices(shape, type)) {
    const pool = (pools[of] ??= encoded(of)),
      data = new Uint8Array(((rows * cols) / WEIGHTS[of].values) * WEIGHTS[of].bytes);
    for (let at = 0; at < data.length; at += pool.length) data.set(pool.subarray(0, data.length - at), at);
    tensors[name] = { shape: [rows, cols], type: WEIGHTS[of].number, data };
  }
  for (let i = 0; i < blocks; i++) {
    norm(`blk.${i}.attn_norm`);
    norm(`blk.${i}.ffn_norm`);
    if (arch === 'qwen3') for (const name of ['q', 'k']) norm(`blk.${i}.attn_${name}_norm`, keyLength);
  }
  norm('output_norm');
  // Line feed and space come first, because llama.cpp looks up these two tokens. The printable characters follow.
  const special = ['<unk>', '<s>', '</s>'],
    characters = ['\n', '\u2581', ...Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))];
  const words = Array.from({ length: values - special.length - characters.length }, (_, i) => `w${i}`);
  const tokens = [...special, ...characters, ...words];
  return writeGGUF({
    metadata: {
      'general.architecture': ['string', arch],
      'general.name': ['string', 'random'],
      'general.quantization_version': ['u32', 2],
      [`${arch}.vocab_size`]: ['u32', values],
      [`${arch}.context_length`]: ['u32', length],
      [`${arch}.embedding_length`]: ['u32', width],
      [`${arch}.block_count`]: ['u32', blocks],
      [`${arch}.feed_forward_length`]: ['u32', inner],
      [`${arch}.attention.head_count`]: ['u32', heads],
      [`${arch}.attention.head_count_kv`]: ['u32', kvHeads],
      [`${arch}.attention.key_length`]: ['u32', keyLength],
      [`${arch}.attention.value_length`]: ['u32', keyLength],
      [`${arch}.attention.layer_norm_rms_epsilon`]: ['f32', 1e-5],
      [`${arch}.rope.dimension_count`]: ['u32', keyLength],
      'tokenizer.ggml.model': ['string', 'llama'],
      'tokenizer.ggml.tokens': ['array', 'string', tokens],
      'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
      'tokenizer.ggml.token_type': ['array', 'i32', tokens.map((_, i) => [2, 3, 3][i] ?? 1)],
      'tokenizer.ggml.bos_token_id': ['u32', 1],
      'tokenizer.ggml.unknown_token_id': ['u32', 0],
      'tokenizer.ggml.add_bos_token': ['bool', true],
      'tokenizer.ggml.add_eos_token': ['bool', false],
      'tokenizer.ggml.add_space_prefix': ['bool', false],
    },
    tensors,
  });
}
