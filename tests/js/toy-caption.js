// SPDX-License-Identifier: MIT
// @ts-check

/** A small random captioning model for the tests: pictures of 8x8 pixels, 16 locations, the words 'w1' to 'w11', and an end token. */

import { F32, writeGGUF } from './gguf.js';

/** @import { Tensor, Typed } from './gguf.js' */

export const WORDS = ['', ...Array.from({ length: 11 }, (_, i) => `w${i + 1}`)];
export const SIDE = 8;
export const PLACES = 16;
export const LONGEST = 9;

/**
 * @param {{ hard?: boolean, end?: number, words?: string[] }} [options]  end: number added to the logit of the end token
 * @returns {Uint8Array<ArrayBuffer>} a weight file
 */
export function toyCaption({ hard = false, end = 0, words = WORDS } = {}) {
  let state = 77;
  const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5) * 3.4;
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  const [D, E, H, T, A, V] = [16, 8, 16, 16, 8, WORDS.length];
  /** @param {string} name  @param {number[]} shape  @param {number} [spread] */
  const add = (name, shape, spread = 1.6) => {
    const columns = shape.length > 1 ? shape[1] : 1;
    const count = shape.reduce((product, n) => product * n, 1);
    tensors[name] = { shape, type: F32, data: Float32Array.from({ length: count }, () => (spread * random()) / Math.sqrt(columns)) };
  };
  /** @param {string} name  @param {number} rows  @param {number} columns */
  const map = (name, rows, columns) => {
    add(`${name}.weight`, [rows, columns]);
    add(`${name}.bias`, [rows], 0.3);
  };
  map('enc.blk.0', D, 3 * 3 * 3);
  add('position.weight', [PLACES, D], 1);
  map('init_h', H, D);
  map('init_c', H, D);
  add('attn_k.weight', [A, D], 2);
  add('attn_q.weight', [A, H], 2.5);
  add('attn_v.weight', [A], 1);
  map('selector', 1, H);
  add('token_embd.weight', [V, E], 3);
  map('cell', 4 * H, E + D + H);
  map('head', T, H + D + E);
  map('output', V, T);
  tensors['output.bias'].data[0] += end;
  /** @type {Record<string, Typed>} */
  const metadata = {
    'general.architecture': ['string', 'show-attend-tell'],
    'general.name': ['string', hard ? 'toy captions, hard' : 'toy captions'],
    'show-attend-tell.words': ['array', 'string', words],
    'show-attend-tell.context_length': ['u32', LONGEST],
    'show-attend-tell.image.height': ['u32', SIDE],
    'show-attend-tell.image.width': ['u32', SIDE],
    'show-attend-tell.image.channels': ['u32', 3],
    'show-attend-tell.kernels': ['array', 'u32', [3]],
    'show-attend-tell.strides': ['array', 'u32', [2]],
    'show-attend-tell.embedding_length': ['u32', E],
    'show-attend-tell.state_length': ['u32', H],
    'show-attend-tell.head_length': ['u32', T],
    'show-attend-tell.attention.length': ['u32', A],
    'show-attend-tell.attention.type': ['string', hard ? 'hard' : 'soft'],
    'show-attend-tell.attention.selector': ['u32', 1],
    'tokenizer.ggml.eos_token_id': ['u32', 0],
  };
  return writeGGUF({ metadata, tensors });
}
