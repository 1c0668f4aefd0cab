// SPDX-License-Identifier: MIT
// Builds the weight file of a Sparse Transformer in memory, with random weights. Random weights suffice, because the cost of a step does
// not depend on the weights.
// @ts-check

/** @typedef {{ kind: 'strided' | 'fixed', stride: number, summary: number }} Kind */

const KEY = 32,
  BLOCKS = 2;
/** Width of the page's models; each head has 32 channels. */
const WIDTH = 32;
/** Bytes of keys and values that a layer stores per position, in single precision. */
export const POSITION_BYTES = 2 * 4 * WIDTH;
export const LAYERS = BLOCKS;

/**
 * Returns the settings of one pattern. Dense attention is expressed as a fixed pattern with one block of the full length, in which every
 * position is a summary.
 *
 * @param {'dense' | 'strided' | 'fixed'} which
 * @param {number} side n = side * side
 * @returns {Kind}
 */
export const kindOf = (which, side) =>
  which === 'dense'
    ? { kind: 'fixed', stride: side * side, summary: side * side }
    : { kind: which, stride: side, summary: Math.max(1, side / 16) };

/**
 * Builds the weight file of a model that draws square black-and-white pictures with `side` pixels per row.
 *
 * @param {number} side
 * @param {Kind} kind
 * @param {number} [width] a multiple of 32
 */
export function randomModel(side, { kind, stride, summary }, width = WIDTH) {
  const text = new TextEncoder();
  /** @type {Uint8Array[]} */
  const parts = [];
  const put = (/** @type {Uint8Array} */ bytes) => {
    parts.push(bytes);
  };
  const u32 = (/** @type {number} */ n) => put(new Uint8Array(Uint32Array.of(n).buffer));
  const u64 = (/** @type {number} */ n) => {
    u32(n);
    u32(0);
  };
  const name = (/** @type {string} */ s) => {
    const bytes = text.encode(s);
    u64(bytes.length);
    put(bytes);
  };
  /** @type {[string, string | number][]} */
  const keys = [
    ['general.architecture', 'sparse-transformer'],
    ['sparse-transformer.image.height', side],
    ['sparse-transformer.image.width', side],
    ['sparse-transformer.image.channels', 1],
    ['sparse-transformer.image.levels', 2],
    ['sparse-transformer.output.type', 'bernoulli'],
    ['sparse-transformer.block_count', BLOCKS],
    ['sparse-transformer.embedding_length', width],
    ['sparse-transformer.feed_forward_length', width],
    ['sparse-transformer.attention.head_count', width / KEY],
    ['sparse-transformer.attention.key_length', KEY],
    ['sparse-transformer.attention.pattern', kind],
    ['sparse-transformer.attention.stride', stride],
    ['sparse-transformer.attention.combine', 'interleaved'],
    ...(kind === 'fixed' ? [/** @type {[string, number]} */ (['sparse-transformer.attention.summary', summary])] : []),
  ];
  /** @type {[string, number, number][]} name, rows, columns; 1 row for a vector */
  const tensors = [
    ['token_embd.weight', 2, width],
    ['position_row.weight', side, width],
    ['position_col.weight', side, width],
    ...Array.from({ length: BLOCKS }, (_, b) =>
      /** @type {[string, number, number][]} */ ([
        ['attn_norm.weight', 1, width],
        ['attn_norm.bias', 1, width],
        ['attn_q.weight', width, width],
        ['attn_k.weight', width, width],
        ['attn_v.weight', width, width],
        ['attn_output.weight', width, width],
        ['ffn_norm.weight', 1, width],
        ['ffn_norm.bias', 1, width],
        ['ffn_up.weight', width, width],
        ['ffn_up.bias', 1, width],
        ['ffn_down.weight', width, width],
        ['ffn_down.bias', 1, width],
      ]).map(([part, rows, cols]) => /** @type {[string, number, number]} */ ([`blk.${b}.${part}`, rows, cols])),
    ).flat(),
    ['output_norm.weight', 1, width],
    ['output_norm.bias', 1, width],
    ['output.weight', 1, width],
    ['output.bias', 1, 1],
  ];
  put(text.encode('GGUF'));
  u32(3);
  u64(tensors.length);
  u64(keys.length);
  for (const [key, value] of keys) {
    name(key);
    u32(typeof value === 'string' ? 8 : 4);
    if (typeof value === 'string') name(value);
    else u32(value);
  }
  let offset = 0,
    seed = 1;
  /** @type {Float32Array[]} */
  const data = [];
  for (const [tensor, rows, cols] of tensors) {
    const matrix = rows > 1 || tensor === 'output.weight';
    name(tensor);
    u32(matrix ? 2 : 1);
    u64(cols);
    if (matrix) u64(rows);
    u32(0);
    u64(offset);
    const padded = Math.ceil((rows * cols) / 8) * 8; // data start at multiples of 32 bytes
    offset += 4 * padded;
    data.push(
      Float32Array.from({ length: padded }, () => {
        seed = Math.imul(seed, 1664525) + 1013904223;
        return (tensor.includes('norm.weight') ? 1 : 0) + (seed / 2 ** 31) * (matrix ? 0.3 : 0.1);
      }),
    );
  }
  const head = parts.reduce((sum, { length }) => sum + length, 0);
  const file = new Uint8Array(Math.ceil(head / 32) * 32 + offset);
  let to = 0;
  for (const part of parts) {
    file.set(part, to);
    to += part.length;
  }
  to = Math.ceil(head / 32) * 32;
  for (const values of data) {
    file.set(new Uint8Array(values.buffer), to);
    to += values.byteLength;
  }
  return file;
}
