// SPDX-License-Identifier: MIT
// @ts-check

/** Small random models for the tests, in the form that weights/train/export.py writes. */

import { F32, writeGGUF } from './gguf.js';

/**
 * @typedef {object} ToyOptions
 * @property {number} [width]
 * @property {number} [height]
 * @property {number} [channels]
 * @property {number} [levels]
 * @property {number} [blocks]
 * @property {number} [heads]
 * @property {number} [embedding]
 * @property {number} [feedForward]
 * @property {number} [queryBlock]   0: full causal attention
 * @property {number} [memoryBlock]
 * @property {string[]} [classes]
 * @property {number} [outputScale]  deviation of the output weights
 * @property {Record<string, any[]>} [metadata]  further entries, or others in place of these
 */

/**
 * @param {ToyOptions} [options]
 * @returns {Uint8Array<ArrayBuffer>} a weight file
 */
export function toyModel({
  width = 8,
  height = 8,
  channels = 1,
  levels = 16,
  blocks = 2,
  heads = 2,
  embedding: d = 16,
  feedForward = 32,
  queryBlock = 0,
  memoryBlock = 0,
  classes = [],
  outputScale = 0.5,
  metadata = {},
} = {}) {
  const random = gaussian(1);
  /** @type {Record<string, import('./gguf.js').Tensor>} */
  const tensors = {};
  /** @type {(name: string, shape: number[], scale: number, mean?: number) => void} */
  const add = (name, shape, scale, mean = 0) => {
    const count = shape.reduce((product, n) => product * n, 1);
    tensors[name] = { shape, type: F32, data: Float32Array.from({ length: count }, () => mean + scale * random()) };
  };
  add('token_embd.weight', [channels * levels, d], 1 / Math.sqrt(d));
  if (classes.length > 0) add('class_embd.weight', [classes.length, d], 1);
  for (let i = 0; i < blocks; i++) {
    for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output'])
      add(`blk.${i}.${name}.weight`, [d, d], 1.5 / Math.sqrt(d));
    add(`blk.${i}.ffn_up.weight`, [feedForward, d], 1 / Math.sqrt(d));
    add(`blk.${i}.ffn_up.bias`, [feedForward], 0.1);
    add(`blk.${i}.ffn_down.weight`, [d, feedForward], 1 / Math.sqrt(feedForward));
    add(`blk.${i}.ffn_down.bias`, [d], 0.1);
    for (const name of ['attn_norm', 'ffn_norm']) {
      add(`blk.${i}.${name}.weight`, [d], 0.1, 1);
      add(`blk.${i}.${name}.bias`, [d], 0.1);
    }
  }
  add('output.weight', [levels, d], outputScale);
  add('output.bias', [levels], 0.1);

  const local = queryBlock > 0;
  return writeGGUF({
    metadata: {
      'general.architecture': ['string', 'image-transformer'],
      'general.name': ['string', 'toy'],
      'general.license': ['string', 'CC0-1.0'],
      'general.quantization_version': ['u32', 2],
      'general.alignment': ['u32', 32],
      'image-transformer.image.height': ['u32', height],
      'image-transformer.image.width': ['u32', width],
      'image-transformer.image.channels': ['u32', channels],
      'image-transformer.image.levels': ['u32', levels],
      'image-transformer.block_count': ['u32', blocks],
      'image-transformer.embedding_length': ['u32', d],
      'image-transformer.feed_forward_length': ['u32', feedForward],
      'image-transformer.attention.head_count': ['u32', heads],
      'image-transformer.attention.key_length': ['u32', d / heads],
      'image-transformer.attention.layer_norm_epsilon': ['f32', 1e-6],
      'image-transformer.attention.pattern': ['string', local ? 'local-1d' : 'full'],
      ...(local && {
        'image-transformer.attention.query_block': ['u32', queryBlock],
        'image-transformer.attention.memory_block': ['u32', memoryBlock],
      }),
      'image-transformer.norm': ['string', 'post'],
      'image-transformer.position.type': ['string', 'sinusoidal'],
      ...(classes.length > 0 && { 'image-transformer.classes': ['array', 'string', classes] }),
      'image-transformer.output.type': ['string', 'categorical'],
      'nextpixel.card.dataset': ['string', 'noise'],
      'nextpixel.card.license': ['string', 'of the card'],
      ...metadata,
    },
    tensors,
  });
}

/**
 * Normally distributed numbers, always the same ones.
 *
 * @param {number} seed
 */
export function gaussian(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * Bytes without a pattern, always the same ones.
 *
 * @param {number} length
 * @param {number} [seed]
 */
export function noise(length, seed = 1) {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}
