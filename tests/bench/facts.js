// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Computes how many multiply-adds one step of a model needs and how many bytes the step reads. summary.js compares these numbers with the
 * time of a step.
 */

import { readGGUF } from '../js/gguf.js';

/** Bytes per weight in the file, by the GGUF code of the type (F32, F16, Q4_0 and Q8_0). @type {Record<number, number>} */
const BYTES = { 0: 4, 1: 2, 2: 18 / 32, 8: 34 / 32 };

/**
 * @typedef {object} Work  the work of one step of one sample
 * @property {number} macs     multiply-adds of the matrices, and of attention to the mean number of keys
 * @property {number} bytes    bytes read: the matrices as stored in the file, and keys and values as 8-bit numbers
 * @property {number} keyMacs  multiply-adds of attention to one key, in all blocks together: the score, and the product with the value
 * @property {number} headMacs  multiply-adds of the output layer, included in macs; positions whose values are given skip this layer
 * @property {number} positions  number of positions of a picture
 */

/**
 * Returns the number of keys that the query at a position sees. The implementation is independent of src/attention/pattern.c, which gives
 * the same result.
 *
 * @param {Record<string, any>} metadata
 * @param {number} position  position in generation order
 */
export function keysOf(metadata, position) {
  /** @param {string} name */
  const get = (name) => metadata[`image-transformer.${name}`];
  switch (get('attention.pattern') ?? 'full') {
    case 'full':
      return position + 1;
    case 'local-1d': {
      const inBlock = position % get('attention.query_block');
      return inBlock + 1 + Math.min(position - inBlock, get('attention.memory_block') ?? get('attention.query_block'));
    }
    case 'local-2d': {
      const rows = get('attention.block_rows'),
        cols = get('attention.block_cols');
      const width = gridWidth(metadata),
        height = get('image.height');
      const top = Math.floor(position / (rows * width)) * rows,
        tall = Math.min(rows, height - top);
      const rest = position - top * width,
        left = Math.floor(rest / (tall * cols)) * cols;
      const wide = Math.min(cols, width - left);
      const from = Math.max(0, left - (get('attention.flange_cols') ?? 0));
      const to = Math.min(width, left + wide + (get('attention.flange_cols') ?? 0));
      const above = Math.min(top, get('attention.flange_rows') ?? 0);
      return above * (to - from) + tall * (left - from) + (rest - left * tall) + 1;
    }
    default:
      throw new Error(`unknown pattern ${get('attention.pattern')}`);
  }
}

/** Returns the number of positions per row of the picture. @param {Record<string, any>} metadata */
function gridWidth(metadata) {
  const whole = metadata['image-transformer.output.type'] === 'dmol' || metadata.palette; // each position is a whole pixel, not one channel
  return metadata['image-transformer.image.width'] * (whole ? 1 : metadata['image-transformer.image.channels']);
}

/**
 * @param {Uint8Array} file  file of a model without an encoder
 * @param {{ from?: number, to?: number }} [range]  positions over which attention is averaged; by default the whole picture
 * @returns {Work}
 */
export function workOf(file, range = {}) {
  const { metadata, tensors } = readGGUF(file);
  const grid = { ...metadata, palette: 'palette.weight' in tensors };
  let macs = 0,
    bytes = 0,
    headMacs = 0;
  for (const [name, { shape, type }] of Object.entries(tensors)) {
    if (!/^(blk\.\d+\.(attn|ffn)_\w+|output|pixel_embd)\.weight$/.test(name) || shape.length !== 2) continue;
    const count = shape[0] * shape[1];
    macs += count;
    if (name === 'output.weight') headMacs = count;
    bytes += count * BYTES[type];
  }
  /** @param {string} name */
  const get = (name) => metadata[`image-transformer.${name}`];
  const heads = get('attention.head_count');
  const keyLength = get('attention.key_length') ?? Math.floor(get('embedding_length') / heads);
  const keyMacs = 2 * heads * keyLength * get('block_count');
  const positions = gridWidth(grid) * get('image.height');
  const { from = 0, to = positions } = range;
  let keys = 0;
  for (let i = from; i < to; i++) keys += keysOf(grid, i) / (to - from);
  return { macs: macs + keys * keyMacs, bytes: bytes + keys * keyMacs, keyMacs, headMacs, positions };
}
