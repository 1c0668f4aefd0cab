// SPDX-License-Identifier: MIT
// @ts-check

/** A small random text model for the tests, with a vocabulary of bytes and a few byte pairs. */

import { F32, writeGGUF } from './gguf.js';

/** @import { Tensor, Typed } from './gguf.js' */

const LETTERS = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

/** The vocabulary: three control tokens, a token for each byte, a space and some words. */
export const TOKENS = ['<unk>', '<s>', '</s>', ...LETTERS, '\u2581', 'a', 'b', 'c', 'ab', '\u2581a', '\u2581b', '\u2581ab', 'bc', '<user>'];

/**
 * @param {{ context?: number, values?: number, d?: number, inner?: number, keyLength?: number, endless?: boolean, metadata?: Record<string, Typed | undefined> }} [options]
 *   - d: width of the model
 *   - inner: width of the feed-forward network
 *   - keyLength: width of each of the two heads
 *   - endless: whether all control tokens, which include the end token, have a logit of 0, so that the model practically never draws one
 *   - values: number of rows of the embedding, by default one per token
 *   - metadata: entries that replace those of the file; undefined removes a key
 * @returns {Uint8Array<ArrayBuffer>} a weight file
 */
export function toyText({ context = 64, values = TOKENS.length, d = 16, inner = 32, keyLength = d / 2, endless, metadata = {} } = {}) {
  let state = 12345;
  const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5) * 3.4;
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  /** @param {string} name  @param {number[]} shape  @param {number} scale  @param {number} [mean] */
  const add = (name, shape, scale, mean = 0) => {
    const count = shape.reduce((product, n) => product * n, 1);
    tensors[name] = { shape, type: F32, data: Float32Array.from({ length: count }, () => mean + scale * random()) };
  };
  add('token_embd.weight', [values, d], 1);
  const heads = 2 * keyLength;
  for (const [part, shape] of /** @type {[string, number[]][]} */ ([
    ['attn_q', [heads, d]],
    ['attn_k', [heads, d]],
    ['attn_v', [heads, d]],
    ['attn_output', [d, heads]],
    ['ffn_gate', [inner, d]],
    ['ffn_up', [inner, d]],
    ['ffn_down', [d, inner]],
  ]))
    add(`blk.0.${part}.weight`, shape, 0.4);
  for (const norm of ['blk.0.attn_norm', 'blk.0.ffn_norm', 'output_norm']) add(`${norm}.weight`, [d], 0.1, 1);
  add('output.weight', [values, d], 0.5);
  if (endless) /** @type {Float32Array} */ (tensors['output.weight'].data).fill(0, 0, 3 * d);
  /** @type {Record<string, Typed | undefined>} */
  const all = {
    'general.architecture': ['string', 'llama'],
    'general.name': ['string', 'toy text'],
    'llama.context_length': ['u32', context],
    'llama.embedding_length': ['u32', d],
    'llama.block_count': ['u32', 1],
    'llama.feed_forward_length': ['u32', inner],
    'llama.attention.head_count': ['u32', 2],
    'llama.attention.key_length': ['u32', keyLength],
    'llama.attention.value_length': ['u32', keyLength],
    'llama.attention.layer_norm_rms_epsilon': ['f32', 1e-5],
    'tokenizer.ggml.model': ['string', 'llama'],
    'tokenizer.ggml.tokens': ['array', 'string', TOKENS],
    'tokenizer.ggml.scores': ['array', 'f32', TOKENS.map((_, i) => -i)],
    'tokenizer.ggml.token_type': [
      'array',
      'i32',
      TOKENS.map((text, i) => (i === 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : text === '<user>' ? 4 : 1)),
    ],
    'tokenizer.ggml.bos_token_id': ['u32', 1],
    'tokenizer.ggml.eos_token_id': ['u32', 2],
    ...metadata,
  };
  const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return writeGGUF({ metadata: /** @type {Record<string, Typed>} */ (present), tensors });
}
