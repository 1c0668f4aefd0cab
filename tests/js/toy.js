// SPDX-License-Identifier: MIT
// @ts-check

/** Small random models for the tests, in the format that weights/train/export.py writes. */

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
 * @property {number} [queryBlock]   0 means full causal attention
 * @property {number} [memoryBlock]
 * @property {number} [blockRows]    over 0: local 2D attention
 * @property {number} [blockCols]
 * @property {number} [flangeRows]
 * @property {number} [flangeCols]
 * @property {boolean} [palette]     whether the file has a palette of colours
 * @property {'categorical' | 'bernoulli' | 'dmol' | 'logistic' | 'gaussian'} [output]
 * @property {number} [mixtures]     number of mixture components of dmol
 * @property {number} [inputWidth]   over 0: super-resolution
 * @property {number} [inputHeight]
 * @property {boolean} [preNorm]
 * @property {string[]} [classes]
 * @property {number} [outputScale]  standard deviation of the output weights
 * @property {boolean} [draft]       whether the model has a draft for speculative decoding, which always predicts the last value
 * @property {Record<string, any[]>} [metadata]  metadata entries to add or replace
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
  blockRows = 0,
  blockCols = 4,
  flangeRows = 2,
  flangeCols = 2,
  palette = false,
  output = 'categorical',
  mixtures = 3,
  inputWidth = 0,
  inputHeight = inputWidth,
  preNorm = false,
  classes = [],
  outputScale = 0.5,
  draft = false,
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
  /** @type {(name: string) => void} */
  const addNorm = (name) => {
    add(`${name}.weight`, [d], 0.1, 1);
    add(`${name}.bias`, [d], 0.1);
  };
  /** @type {(stack: string, crossed: boolean) => void} */
  const addBlocks = (stack, crossed) => {
    for (let i = 0; i < blocks; i++) {
      const block = `${stack}blk.${i}`;
      for (const attention of crossed ? ['attn', 'cross_attn'] : ['attn'])
        for (const name of ['q', 'k', 'v', 'output']) add(`${block}.${attention}_${name}.weight`, [d, d], 1.5 / Math.sqrt(d));
      add(`${block}.ffn_up.weight`, [feedForward, d], 1 / Math.sqrt(d));
      add(`${block}.ffn_up.bias`, [feedForward], 0.1);
      add(`${block}.ffn_down.weight`, [d, feedForward], 1 / Math.sqrt(feedForward));
      add(`${block}.ffn_down.bias`, [d], 0.1);
      for (const name of crossed ? ['attn_norm', 'cross_attn_norm', 'ffn_norm'] : ['attn_norm', 'ffn_norm']) addNorm(`${block}.${name}`);
    }
    if (preNorm) addNorm(`${stack}output_norm`);
  };
  const dmol = output === 'dmol';
  const enlarges = inputWidth > 0;
  if (dmol) {
    add('pixel_embd.weight', [d, channels], 1);
    add('pixel_embd.bias', [d], 0.1);
  } else {
    add('token_embd.weight', [(palette ? 1 : channels) * levels, d], 1 / Math.sqrt(d));
  }
  if (palette) {
    const data = Float32Array.from({ length: 3 * levels }, (_, i) => (Math.floor(i / 3) * [37, 91, 151][i % 3]) % 256);
    tensors['palette.weight'] = { shape: [levels, 3], type: F32, data };
  }
  if (enlarges) {
    add('enc.pixel_embd.weight', [d, channels], 1);
    add('enc.pixel_embd.bias', [d], 0.1);
    addBlocks('enc.', false);
  }
  if (classes.length > 0) add('class_embd.weight', [classes.length, d], 1);
  addBlocks('', enlarges);
  const mixture = (channels === 3 ? 10 : 3) * mixtures;
  const outputs = { categorical: levels, bernoulli: 1, dmol: mixture, logistic: 2, gaussian: 2 }[output];
  add('output.weight', [outputs, d], outputScale);
  add('output.bias', [outputs], 0.1);
  // Lowers the log scales, so that the distributions are only a few grey levels wide. The log scales of a channel come directly after its
  // means.
  const bias = tensors['output.bias'].data;
  for (let i = 0; i < outputs; i++) {
    const part = Math.floor(i / mixtures) - 1;
    if (dmol && part >= 0 && part % (channels === 3 ? 3 : 2) === 1) bias[i] -= 2;
    if ((output === 'logistic' || output === 'gaussian') && i === 1) bias[i] -= 2;
  }

  if (draft) {
    bias[levels - 1] += 6;
    /** @type {[string, number[], number[]][]} */
    const parts = [
      ['offset.weight', [3, 2], [0, -1, -1, 0, -1, 1]],
      ['token_embd.weight', [levels, 2], []],
      ['neighbour.weight', [3 * 4, 2], []],
      ['position_row.weight', [height, 4], []],
      ['position_col.weight', [width, 4], []],
      ['output.weight', [levels, 4], []],
      ['output.bias', [levels], [...bias]],
    ];
    for (const [name, shape, numbers] of parts) {
      add(`draft.${name}`, shape, 0.3);
      tensors[`draft.${name}`].data.set(numbers);
    }
  }

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
      'image-transformer.attention.pattern': ['string', blockRows > 0 ? 'local-2d' : local ? 'local-1d' : 'full'],
      ...(local && {
        'image-transformer.attention.query_block': ['u32', queryBlock],
        'image-transformer.attention.memory_block': ['u32', memoryBlock],
      }),
      ...(blockRows > 0 && {
        'image-transformer.attention.block_rows': ['u32', blockRows],
        'image-transformer.attention.block_cols': ['u32', blockCols],
        'image-transformer.attention.flange_rows': ['u32', flangeRows],
        'image-transformer.attention.flange_cols': ['u32', flangeCols],
      }),
      ...(enlarges && {
        'image-transformer.input.height': ['u32', inputHeight],
        'image-transformer.input.width': ['u32', inputWidth],
        'image-transformer.encoder.block_count': ['u32', blocks],
      }),
      'image-transformer.norm': ['string', preNorm ? 'pre' : 'post'],
      'image-transformer.position.type': ['string', 'sinusoidal'],
      ...(classes.length > 0 && { 'image-transformer.classes': ['array', 'string', classes] }),
      'image-transformer.output.type': ['string', output],
      ...(dmol && { 'image-transformer.output.mixtures': ['u32', mixtures] }),
      'nextpixel.card.dataset': ['string', 'noise'],
      'nextpixel.card.license': ['string', 'of the card'],
      ...metadata,
    },
    tensors,
  });
}

/**
 * Makes a fully visible sigmoid belief network: two levels, no attention, no inputs.
 *
 * @param {{ width?: number, height?: number, metadata?: Record<string, any[]> }} [options]
 * @returns {Uint8Array<ArrayBuffer>} a weight file
 */
export function toyNetwork({ width = 8, height = 8, metadata = {} } = {}) {
  const random = gaussian(2);
  const n = width * height;
  const weight = Float32Array.from({ length: n * n }, (_, at) => (at % n > Math.floor(at / n) ? random() : 0));
  return writeGGUF({
    metadata: {
      'general.architecture': ['string', 'fvsbn'],
      'general.name': ['string', 'toy network'],
      'fvsbn.image.height': ['u32', height],
      'fvsbn.image.width': ['u32', width],
      ...metadata,
    },
    tensors: {
      'fvsbn.weight': { shape: [n, n], type: F32, data: weight },
      'fvsbn.bias': { shape: [n], type: F32, data: Float32Array.from({ length: n }, random) },
    },
  });
}

/**
 * Returns normally distributed numbers from a fixed seed.
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
 * Returns random bytes from a fixed seed.
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

/**
 * Returns random ids from a fixed seed.
 *
 * @param {number} length
 * @param {number} [values]  upper bound of the ids, at most 256
 * @param {number} [seed]
 */
export function ids(length, values = 16, seed = 1) {
  return Uint32Array.from(noise(length, seed), (value) => value % values);
}
