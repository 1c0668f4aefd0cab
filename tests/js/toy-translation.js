// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A small Transformer for the tests, with constructed weights. At each position, the model outputs the source token of that position, so
 * it "translates" every text into itself. The first channels of the embeddings are reserved for positions. The heads of the decoder's last
 * layer use these channels to find the token. The vocabulary is that of toy-text.js.
 */

import { F32, writeGGUF } from './gguf.js';
import { TOKENS } from './toy-text.js';

/** @import { Tensor, Typed } from './gguf.js' */

/** The encoder and the decoder each have this many layers. */
export const BLOCKS = 2;
export const HEADS = 2;

/** The width of the model, and how many of its channels encode positions. */
const D = 192;
const PLACES = 64;

/**
 * @param {{ context?: number, end?: boolean, metadata?: Record<string, Typed | undefined> }} [options]
 *   - end: whether the model ends its output or continues forever
 *   - metadata: entries that replace those of the file; undefined removes a key
 * @returns {Uint8Array<ArrayBuffer>} a weight file
 */
export function toyTranslation({ context = 48, end = true, metadata = {} } = {}) {
  let state = 4321;
  const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5) * 3.4;
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  /** @param {string} name  @param {number[]} shape  @param {(row: number, column: number) => number} value */
  const add = (name, shape, value) => {
    const columns = shape[shape.length - 1];
    const count = shape.reduce((product, n) => product * n, 1);
    tensors[name] = { shape, type: F32, data: Float32Array.from({ length: count }, (_, i) => value(Math.floor(i / columns), i % columns)) };
  };
  const zero = () => 0;
  // Each row has mean zero, because the norms would subtract any other mean. In the row of a token, x and -x alternate. The row of a
  // position has as many channels with 1 as with -1.
  let last = 0;
  const balanced = (/** @type {number} */ column) => (last = column % 2 ? -last : 0.5 * random());
  const sign = (/** @type {number} */ column) => (last = column % 2 ? -last : Math.sign(random()));
  add('token_embd.weight', [TOKENS.length, D], (_, column) => (column < PLACES ? 0 : balanced(column)));
  if (!end) tensors['token_embd.weight'].data.fill(0, 2 * D, 3 * D); // the end token is never drawn
  add('position_embd.weight', [context, D], (_, column) => (column < PLACES ? sign(column) : 0));
  tensors['enc.position_embd.weight'] = tensors['position_embd.weight'];
  for (const stack of ['enc.', '']) {
    for (let b = 0; b < BLOCKS; b++) {
      const block = `${stack}blk.${b}.`;
      for (const kind of stack ? ['attn'] : ['attn', 'cross_attn']) {
        const finds = kind === 'cross_attn' && b === BLOCKS - 1;
        const places = (/** @type {number} */ row, /** @type {number} */ column) => (row === column && row < PLACES ? 8 : 0);
        // Both heads find the position, and each copies one half of the token.
        const same = (/** @type {number} */ by) => (/** @type {number} */ row, /** @type {number} */ column) => (row === column ? by : 0);
        for (const part of ['q', 'k']) {
          add(`${block}${kind}_${part}.weight`, [D, D], finds ? (row, column) => places(row % (D / HEADS), column) : () => 0.2 * random());
        }
        add(`${block}${kind}_v.weight`, [D, D], same(1));
        add(`${block}${kind}_output.weight`, [D, D], finds ? same(20) : zero);
        add(`${block}${kind}_norm.weight`, [D], () => 1);
        add(`${block}${kind}_norm.bias`, [D], zero);
      }
      add(`${block}ffn_norm.weight`, [D], () => 1);
      add(`${block}ffn_norm.bias`, [D], zero);
      add(`${block}ffn_up.weight`, [D, D], zero);
      add(`${block}ffn_up.bias`, [D], zero);
      add(`${block}ffn_down.weight`, [D, D], zero);
      add(`${block}ffn_down.bias`, [D], zero);
    }
  }
  /** @type {Record<string, Typed | undefined>} */
  const all = {
    'general.architecture': ['string', 'transformer'],
    'general.name': ['string', 'toy translation'],
    'general.languages': ['array', 'string', ['xx', 'yy']],
    'transformer.context_length': ['u32', context],
    'transformer.embedding_length': ['u32', D],
    'transformer.block_count': ['u32', BLOCKS],
    'transformer.encoder.block_count': ['u32', BLOCKS],
    'transformer.feed_forward_length': ['u32', D],
    'transformer.attention.head_count': ['u32', HEADS],
    'transformer.position.type': ['string', 'learned'],
    'tokenizer.ggml.model': ['string', 'llama'],
    'tokenizer.ggml.tokens': ['array', 'string', TOKENS],
    'tokenizer.ggml.scores': ['array', 'f32', TOKENS.map((_, i) => -i)],
    'tokenizer.ggml.token_type': [
      'array',
      'i32',
      TOKENS.map((text, i) => (i === 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : text === '<user>' ? 4 : 1)),
    ],
    'tokenizer.ggml.add_bos_token': ['bool', false],
    'tokenizer.ggml.eos_token_id': ['u32', 2],
    ...metadata,
  };
  const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return writeGGUF({ metadata: /** @type {Record<string, Typed>} */ (present), tensors });
}
