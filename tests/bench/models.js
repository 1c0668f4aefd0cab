// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Makes the models of the benchmark. Their weights are random and the same on every machine. Times depend only on the number of weights and
 * on how they are stored, not on their values.
 */

import { F32, Q8_0, writeGGUF } from '../js/gguf.js';
import { floats, int8, normal, q4_0, q8_0 } from './random.js';
import { FLOAT, INT32, INT64, Graph } from './onnx.js';

/** The GGUF code for Q4_0. tests/js/gguf.js defines only the codes of the types that it reads. */
export const Q4_0 = 2;

/** The weight types of the benchmark. The keys are the names in the results. */
export const TYPES = Object.freeze({ q4: 'Q4_0', q8: 'Q8_0' });
/** @typedef {keyof typeof TYPES} WeightType */

/**
 * @typedef {object} Shape
 * @property {number} width
 * @property {number} blocks
 * @property {number} heads
 * @property {number} inner   width of the feed-forward network
 * @property {number} values  number of possible values of an element
 * @property {number} side    rows and columns of the picture; the context has side * side positions
 * @property {number} [queryBlock]   length of a query block in local attention; undefined for full attention
 * @property {number} [memoryBlock]
 */

/** The decoder with 6.3 million weights that every runtime runs. @type {Readonly<Shape>} */
export const W1 = Object.freeze({ width: 256, blocks: 8, heads: 4, inner: 1024, values: 256, side: 32 });

/** Positions at which the decoder's time per token is measured. */
export const POSITIONS = Object.freeze([64, 512, 1000]);

/** Side lengths of the pictures on which a model similar to weights/digits.gguf is measured. The attention window of the model has the same
 * size on all these pictures. */
export const SIDES = Object.freeze([28, 64, 128, 256]);
/** @param {number} side @returns {Shape} */
export const localShape = (side) => ({ width: 128, blocks: 4, heads: 4, inner: 512, values: 16, side, queryBlock: 64, memoryBlock: 128 });

/**
 * Returns the shape of a small model whose attention sees hardly any keys. If two such models differ in one part, the difference between
 * their times is the cost of this part.
 *
 * @param {number} blocks
 * @param {number} values
 * @returns {Shape}
 */
export const partShape = (blocks, values) => ({
  width: 128,
  blocks,
  heads: 4,
  inner: 512,
  values,
  side: 32,
  queryBlock: 16,
  memoryBlock: 0,
});

/** Returns the number of multiply-adds of the matrices for one position. @param {Shape} shape */
export function productMacs({ width, blocks, inner, values }) {
  return blocks * (4 * width * width + 2 * width * inner) + values * width;
}

/**
 * @param {Record<string, import('../js/gguf.js').Tensor>} tensors
 * @param {() => number} random
 * @param {WeightType} type
 */
function adders(tensors, random, type) {
  return {
    /** @param {string} name @param {number} rows @param {number} cols @param {WeightType} [as] */
    matrix(name, rows, cols, as = type) {
      const data = floats(random, rows * cols, 1 / Math.sqrt(cols));
      tensors[name] =
        as === 'q8' ? { shape: [rows, cols], type: Q8_0, data: q8_0(data) } : { shape: [rows, cols], type: Q4_0, data: q4_0(data) };
    },
    /** @param {string} name @param {number[]} shape @param {number} deviation @param {number} [mean] */
    table(name, shape, deviation, mean = 0) {
      const count = shape.reduce((product, n) => product * n, 1);
      tensors[name] = { shape, type: F32, data: floats(random, count, deviation, mean) };
    },
  };
}

/**
 * Makes an Image Transformer with random weights.
 *
 * @param {Shape} shape
 * @param {WeightType} type
 * @param {number} [seed]
 * @returns {Uint8Array<ArrayBuffer>} a weight file
 */
export function imageModel(shape, type, seed = 1) {
  const { width, blocks, heads, inner, values, side, queryBlock = 0, memoryBlock = 0 } = shape;
  /** @type {Record<string, import('../js/gguf.js').Tensor>} */
  const tensors = {};
  const { matrix, table } = adders(tensors, normal(seed), type);
  /** @param {string} name */
  const norm = (name) => (table(`${name}.weight`, [width], 0.1, 1), table(`${name}.bias`, [width], 0.1));
  table('token_embd.weight', [values, width], 1 / Math.sqrt(width));
  for (let i = 0; i < blocks; i++) {
    for (const name of ['q', 'k', 'v', 'output']) {
      matrix(`blk.${i}.attn_${name}.weight`, width, width);
      table(`blk.${i}.attn_${name}.bias`, [width], 0.1);
    }
    norm(`blk.${i}.attn_norm`);
    matrix(`blk.${i}.ffn_up.weight`, inner, width);
    table(`blk.${i}.ffn_up.bias`, [inner], 0.1);
    matrix(`blk.${i}.ffn_down.weight`, width, inner);
    table(`blk.${i}.ffn_down.bias`, [width], 0.1);
    norm(`blk.${i}.ffn_norm`);
  }
  norm('output_norm');
  matrix('output.weight', values, width, 'q8'); // 8 bits, as in the shipped weight files
  const local = queryBlock > 0;
  return writeGGUF({
    metadata: {
      'general.architecture': ['string', 'image-transformer'],
      'general.name': ['string', `random ${width} x ${blocks}`],
      'general.quantization_version': ['u32', 2],
      'general.alignment': ['u32', 32],
      'image-transformer.image.height': ['u32', side],
      'image-transformer.image.width': ['u32', side],
      'image-transformer.image.channels': ['u32', 1],
      'image-transformer.image.levels': ['u32', values],
      'image-transformer.block_count': ['u32', blocks],
      'image-transformer.embedding_length': ['u32', width],
      'image-transformer.feed_forward_length': ['u32', inner],
      'image-transformer.attention.head_count': ['u32', heads],
      'image-transformer.attention.key_length': ['u32', width / heads],
      'image-transformer.attention.layer_norm_epsilon': ['f32', 1e-5],
      'image-transformer.attention.pattern': ['string', local ? 'local-1d' : 'full'],
      ...(local && {
        'image-transformer.attention.query_block': ['u32', queryBlock],
        'image-transformer.attention.memory_block': ['u32', memoryBlock],
      }),
      'image-transformer.norm': ['string', 'pre'],
      'image-transformer.position.type': ['string', 'sinusoidal'],
      'image-transformer.output.type': ['string', 'categorical'],
    },
    tensors,
  });
}

/**
 * Makes a decoder of this shape as a GGUF file of the gpt2 architecture, for wllama (llama.cpp).
 *
 * wllama takes prompts as text and fails on output that is not UTF-8. So every token is printable. The first tokens are single characters
 * and include the letters of the prompt. The other tokens are words.
 *
 * @param {Shape} shape
 * @param {WeightType} type
 * @param {number} [seed]
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function gpt2Model({ width, blocks, heads, inner, values, side }, type, seed = 1) {
  const special = ['<unk>', '<s>', '</s>'];
  const characters = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
  const count = values + special.length;
  const words = Array.from({ length: count - special.length - characters.length }, (_, i) => `w${i}`);
  const tokens = [...special, ...characters, ...words];
  const context = side * side;
  /** @type {Record<string, import('../js/gguf.js').Tensor>} */
  const tensors = {};
  const { matrix, table } = adders(tensors, normal(seed), type);
  /** @param {string} name @param {number} length */
  const bias = (name, length) => table(`${name}.bias`, [length], 0.1);
  /** @param {string} name */
  const norm = (name) => (table(`${name}.weight`, [width], 0.1, 1), bias(name, width));
  matrix('token_embd.weight', count, width, 'q8'); // this matrix is also the output layer
  table('position_embd.weight', [context, width], 0.1);
  for (let i = 0; i < blocks; i++) {
    norm(`blk.${i}.attn_norm`);
    matrix(`blk.${i}.attn_qkv.weight`, 3 * width, width);
    bias(`blk.${i}.attn_qkv`, 3 * width);
    matrix(`blk.${i}.attn_output.weight`, width, width);
    bias(`blk.${i}.attn_output`, width);
    norm(`blk.${i}.ffn_norm`);
    matrix(`blk.${i}.ffn_up.weight`, inner, width);
    bias(`blk.${i}.ffn_up`, inner);
    matrix(`blk.${i}.ffn_down.weight`, width, inner);
    bias(`blk.${i}.ffn_down`, width);
  }
  norm('output_norm');
  return writeGGUF({
    metadata: {
      'general.architecture': ['string', 'gpt2'],
      'general.name': ['string', 'random'],
      'general.quantization_version': ['u32', 2],
      'gpt2.context_length': ['u32', context],
      'gpt2.embedding_length': ['u32', width],
      'gpt2.block_count': ['u32', blocks],
      'gpt2.feed_forward_length': ['u32', inner],
      'gpt2.attention.head_count': ['u32', heads],
      'gpt2.attention.layer_norm_epsilon': ['f32', 1e-5],
      'tokenizer.ggml.model': ['string', 'llama'],
      'tokenizer.ggml.tokens': ['array', 'string', tokens],
      'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
      // unknown, control, control, normal ...
      'tokenizer.ggml.token_type': ['array', 'i32', tokens.map((_, i) => [2, 3, 3][i] ?? 1)],
      'tokenizer.ggml.bos_token_id': ['u32', 1],
      'tokenizer.ggml.eos_token_id': ['u32', 2],
      'tokenizer.ggml.unknown_token_id': ['u32', 0],
      'tokenizer.ggml.add_bos_token': ['bool', true],
      'tokenizer.ggml.add_eos_token': ['bool', false],
      'tokenizer.ggml.add_space_prefix': ['bool', false],
    },
    tensors,
  });
}

/**
 * Writes an ONNX file that computes one step of a decoder, for ONNX Runtime. The step uses GroupQueryAttention, the runtime's fastest
 * attention with a cache. The step's matrix products are dynamic 8-bit products, as in files that quantize_dynamic writes.
 *
 * Inputs:
 * - input_ids and position_ids, of shape (1, 1)
 * - length: the number of positions in the cache, an int32 scalar
 * - total: length plus one, an int32 scalar
 * - past.I.key and past.I.value for each block I, of shape (1, heads, past, width / heads)
 *
 * Outputs: logits, and present.I.key and present.I.value for each block I.
 *
 * @param {Shape} shape
 * @param {number} [seed]
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function onnxModel({ width, blocks, heads, inner, values, side }, seed = 1) {
  const random = normal(seed);
  const graph = new Graph();
  /** @param {number} length @param {number} deviation @param {number} [mean] */
  const vector = (length, deviation, mean = 0) => graph.floats([length], floats(random, length, deviation, mean));
  const zero = graph.int8([], Int8Array.of(0));
  /** Multiplies x by a random matrix and adds a random bias. @param {string[]} quantised @param {number} rows @param {number} cols
   * @param {boolean} [biased] */
  const project = ([bytes, scale, offset], rows, cols, biased = true) => {
    const weights = int8(floats(random, rows * cols, 1 / Math.sqrt(cols)));
    const matrix = graph.int8([cols, rows], weights.bytes); // not transposed, because the numbers are random anyway
    const [sums] = graph.node('MatMulInteger', [bytes, matrix, offset, zero]);
    const [wide] = graph.node('Cast', [sums], { to: FLOAT });
    const [factor] = graph.node('Mul', [scale, graph.floats([], Float32Array.of(weights.scale))]);
    const [product] = graph.node('Mul', [wide, factor]);
    return biased ? graph.node('Add', [product, vector(rows, 0.1)])[0] : product;
  };
  /** @param {string} x */
  const quantise = (x) => graph.node('DynamicQuantizeLinear', [x], {}, 3);
  /** @param {string} x */
  const norm = (x) => {
    const gain = vector(width, 0.1, 1),
      shift = vector(width, 0.1);
    return graph.node('LayerNormalization', [x, gain, shift], { axis: -1, epsilon: 1e-5 })[0];
  };

  graph.input('input_ids', INT64, [1, 1]);
  graph.input('position_ids', INT64, [1, 1]);
  graph.input('length', INT32, [1]);
  graph.input('total', INT32, [1]);
  const table = graph.floats([values, width], floats(random, values * width, 1 / Math.sqrt(width)));
  const places = graph.floats([side * side, width], floats(random, side * side * width, 0.1));
  const embedded = graph.node('Gather', [table, 'input_ids']),
    placed = graph.node('Gather', [places, 'position_ids']);
  let [x] = graph.node('Add', [...embedded, ...placed]);
  for (let i = 0; i < blocks; i++) {
    const past = [`past.${i}.key`, `past.${i}.value`],
      present = [`present.${i}.key`, `present.${i}.value`];
    for (const name of past) graph.input(name, FLOAT, [1, heads, 'past', width / heads]);
    for (const name of present) graph.output(name, FLOAT, [1, heads, 'total', width / heads]);
    const qkv = project(quantise(norm(x)), 3 * width, width);
    const mixed = `mixed.${i}`;
    graph.node(
      'GroupQueryAttention',
      [qkv, '', '', ...past, 'length', 'total'],
      { num_heads: heads, kv_num_heads: heads },
      [mixed, ...present],
      'com.microsoft',
    );
    [x] = graph.node('Add', [x, project(quantise(mixed), width, width)]);
    const [opened] = graph.node('Relu', [project(quantise(norm(x)), inner, width)]);
    [x] = graph.node('Add', [x, project(quantise(opened), width, inner)]);
  }
  graph.node('Identity', [project(quantise(norm(x)), values, width, false)], {}, ['logits']);
  graph.output('logits', FLOAT, [1, 1, values]);
  return graph.model();
}
