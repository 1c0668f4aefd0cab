// SPDX-License-Identifier: MIT
// @ts-check

/** The section llama: language models of two sizes in two types of weights, as every runtime runs them. Random weights. */

import { F32, Q8_0, writeGGUF } from '../js/gguf.js';
import { Q4_0 } from './models.js';
import { FLOAT, INT32, INT64, Graph } from './onnx.js';
import { floats, int8, normal, q4_0, q8_0 } from './random.js';
import { key, median } from './summary.js';

/** @import { Probe } from './arena.js' */
/** @import { Stage } from './probes.js' */
/** @import { Samples } from './summary.js' */

/** @typedef {{ width: number, blocks: number, heads: number, inner: number, values: number, length: number }} LlamaShape */

/** The shapes of stories15M and stories110M. @type {Record<string, LlamaShape>} */
export const LLAMAS = Object.freeze({
  '15M': { width: 288, blocks: 6, heads: 6, inner: 768, values: 32000, length: 1024 },
  '110M': { width: 768, blocks: 12, heads: 12, inner: 2048, values: 32000, length: 1024 },
});
/** Types of the weights, and of the output layer, which is the embedding too. */
export const LLAMA_TYPES = Object.freeze(/** @type {const} */ (['q8_0', 'q4_0']));
/** Where a step is timed, and the tokens of a prompt. */
export const LLAMA_POSITIONS = Object.freeze([64, 512]);
export const PROMPT = 512;
/** Megabytes of the streaming rate: as much as the larger model in eight bits. */
export const STREAM = 128;
/** A step reads its weights at this share of the streaming rate, at least. */
const SHARE = 0.7;

/** Numbers that repeat after a while: a hundred million different ones take long to draw and tell nothing more. */
const POOL = 1 << 20;

/** Weights of a block, a matrix each: name, rows, columns. @param {LlamaShape} shape @returns {[string, number, number][]} */
const parts = ({ width, inner }) => [
  ['attn_q', width, width], ['attn_k', width, width], ['attn_v', width, width], ['attn_output', width, width],
  ['ffn_gate', inner, width], ['ffn_up', inner, width], ['ffn_down', width, inner],
];

/** Multiply-adds of the matrices of a step. @param {LlamaShape} shape */
export function weightsOf(shape) {
  return shape.values * shape.width + shape.blocks * parts(shape).reduce((sum, [, rows, cols]) => sum + rows * cols, 0);
}

/** Bytes of those matrices in the file, all of which a step reads. @param {LlamaShape} shape @param {string} type */
export const bytesOf = (shape, type) => weightsOf(shape) * (type === 'q8_0' ? 34 : 18) / 32;

/**
 * The same file for ours and for wllama: every token is printable, which wllama needs.
 *
 * @param {LlamaShape} shape
 * @param {string} type
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function llamaModel(shape, type) {
  const { width, blocks, heads, inner, values, length } = shape;
  const pool = floats(normal(1), POOL, 1), encoded = (type === 'q8_0' ? q8_0 : q4_0)(pool.map((x) => x * 0.02));
  const kind = type === 'q8_0' ? Q8_0 : Q4_0;
  /** @type {Record<string, import('../js/gguf.js').Tensor>} */
  const tensors = {};
  /** @param {string} name @param {number} rows @param {number} cols */
  const matrix = (name, rows, cols) => {
    const data = new Uint8Array(rows * cols / 32 * (type === 'q8_0' ? 34 : 18));
    for (let at = 0; at < data.length; at += encoded.length) data.set(encoded.subarray(0, data.length - at), at);
    tensors[name] = { shape: [rows, cols], type: kind, data };
  };
  /** @param {string} name */
  const norm = (name) => {
    tensors[`${name}.weight`] = { shape: [width], type: F32, data: new Float32Array(width).fill(1) };
  };
  matrix('token_embd.weight', values, width);
  for (let i = 0; i < blocks; i++) {
    norm(`blk.${i}.attn_norm`);
    norm(`blk.${i}.ffn_norm`);
    for (const [name, rows, cols] of parts(shape)) matrix(`blk.${i}.${name}.weight`, rows, cols);
  }
  norm('output_norm');
  const special = ['<unk>', '<s>', '</s>'], characters = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
  const words = Array.from({ length: values - special.length - characters.length }, (_, i) => `w${i}`);
  const tokens = [...special, ...characters, ...words];
  return writeGGUF({
    metadata: {
      'general.architecture': ['string', 'llama'],
      'general.name': ['string', 'random'],
      'general.quantization_version': ['u32', 2],
      'llama.vocab_size': ['u32', values],
      'llama.context_length': ['u32', length],
      'llama.embedding_length': ['u32', width],
      'llama.block_count': ['u32', blocks],
      'llama.feed_forward_length': ['u32', inner],
      'llama.attention.head_count': ['u32', heads],
      'llama.attention.head_count_kv': ['u32', heads],
      'llama.attention.layer_norm_rms_epsilon': ['f32', 1e-5],
      'llama.rope.dimension_count': ['u32', width / heads],
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

/**
 * The same for ONNX Runtime: dynamic 8-bit products, its own operators for attention with a cache, rotary positions and the norm.
 * Its table of embeddings has the ids of the benchmark only, for a larger one would cost room and no time.
 *
 * Inputs: input_ids (1, tokens), length (positions after this run, less one) and total (positions after it), past.I.key and past.I.value.
 *
 * @param {LlamaShape} shape
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function onnxLlama(shape) {
  const { width, blocks, heads, values, length } = shape, k = width / heads;
  const pool = floats(normal(1), POOL, 0.02), graph = new Graph(), zero = graph.int8([], Int8Array.of(0));
  const { bytes: pooled, scale } = int8(pool);
  /** @param {string[]} quantised @param {number} rows @param {number} cols */
  const project = ([bytes, step, offset], rows, cols) => {
    const weights = new Int8Array(rows * cols);
    for (let at = 0; at < weights.length; at += POOL) weights.set(pooled.subarray(0, weights.length - at), at);
    const [sums] = graph.node('MatMulInteger', [bytes, graph.int8([cols, rows], weights), offset, zero]);
    const [wide] = graph.node('Cast', [sums], { to: FLOAT });
    const [factor] = graph.node('Mul', [step, graph.floats([], Float32Array.of(scale))]);
    return graph.node('Mul', [wide, factor])[0];
  };
  /** @param {string} x */
  const quantise = (x) => graph.node('DynamicQuantizeLinear', [x], {}, 3);
  const gain = graph.floats([width], new Float32Array(width).fill(1));
  /** @param {string} x */
  const norm = (x) => graph.node('SimplifiedLayerNormalization', [x, gain], { axis: -1, epsilon: 1e-5 })[0];
  const angles = Array.from({ length: length * k / 2 }, (_, i) => Math.floor(i / (k / 2)) / 10000 ** (2 * (i % (k / 2)) / k));
  const cosines = graph.floats([length, k / 2], Float32Array.from(angles, Math.cos));
  const sines = graph.floats([length, k / 2], Float32Array.from(angles, Math.sin));
  graph.input('input_ids', INT64, [1, 'tokens']);
  graph.input('length', INT32, [1]);
  graph.input('total', INT32, [1]);
  let [x] = graph.node('Gather', [graph.floats([256, width], pool.subarray(0, 256 * width)), 'input_ids']);
  for (let i = 0; i < blocks; i++) {
    const past = [`past.${i}.key`, `past.${i}.value`], present = [`present.${i}.key`, `present.${i}.value`];
    for (const name of past) graph.input(name, FLOAT, [1, heads, 'past', k]);
    for (const name of present) graph.output(name, FLOAT, [1, heads, 'total', k]);
    const qkv = project(quantise(norm(x)), 3 * width, width), mixed = `mixed.${i}`;
    graph.node('GroupQueryAttention', [qkv, '', '', ...past, 'length', 'total', cosines, sines],
      { num_heads: heads, kv_num_heads: heads, do_rotary: 1, rotary_interleaved: 1 }, [mixed, ...present], 'com.microsoft');
    [x] = graph.node('Add', [x, project(quantise(mixed), width, width)]);
    const inner = quantise(norm(x)), gate = project(inner, shape.inner, width), up = project(inner, shape.inner, width);
    const [sigmoid] = graph.node('Sigmoid', [gate]), [silu] = graph.node('Mul', [gate, sigmoid]), [gated] = graph.node('Mul', [silu, up]);
    [x] = graph.node('Add', [x, project(quantise(gated), width, shape.inner)]);
  }
  const last = graph.node('Gather', [norm(x), graph.int64([], [-1])], { axis: 1 })[0]; // logits of the last token alone
  graph.node('Identity', [project(quantise(last), values, width)], {}, ['logits']);
  graph.output('logits', FLOAT, [1, values]);
  return graph.model();
}

/**
 * Starts ours and, where asked for, the others: each size and type in pages of their own.
 *
 * @param {Stage} stage
 * @param {boolean} withPeers
 * @param {(line: string) => void} say
 */
export async function llamaProbes({ arena, chosen, provide, steps }, withPeers, say) {
  /** @type {Probe[]} */
  const probes = [];
  const count = Math.min(steps, 16);
  for (const [size, shape] of Object.entries(LLAMAS)) {
    /** @param {string} id @param {{ page: string, target: string }} target @param {string} type */
    const add = (id, target, type) => {
      for (const position of LLAMA_POSITIONS) {
        probes.push({ name: key('llama', size, type, position, id), ...target, method: 'time', args: { position, steps: count, greedy: true } });
      }
      probes.push({ name: key('llama', size, type, 'prompt', id), ...target, method: 'prompt', args: { length: PROMPT } });
    };
    for (const type of LLAMA_TYPES) {
      say(`starting llama ${size} ${type} ...`);
      const model = provide(`llama-${size}-${type}.gguf`, () => llamaModel(shape, type));
      add('ours', await arena.start(`llama ${size} ${type}`, `${chosen} ${model}`, 'ours', 'startCore', { wasm: `/web/dist/${chosen}.wasm`, model }), type);
      if (!withPeers) continue;
      const given = { peers: '/tests/bench/node_modules', model, shape: { ...shape, side: 32 } };
      add('wllama', await arena.start(`wllama ${size} ${type}`, 'wllama', 'wllama', 'start', given), type);
    }
    if (!withPeers) continue;
    say(`starting llama ${size} onnxruntime ...`);
    const model = provide(`llama-${size}.onnx`, () => onnxLlama(shape));
    const given = { peers: '/tests/bench/node_modules', model, shape, prompts: true };
    add('onnxruntime', await arena.start(`onnxruntime ${size}`, 'onnxruntime', 'onnxruntime', 'start', given), 'int8');
  }
  return probes;
}

/**
 * @param {Samples} samples
 * @param {readonly { id: string, name: string }[]} peers
 */
export function llamaResult(samples, peers) {
  /** @param {string} size @param {string} type @param {string | number} what @param {string} id */
  const times = (size, type, what, id) => samples[key('llama', size, id === 'onnxruntime' ? 'int8' : type, what, id)];
  const stream = samples[key('ceiling', 'stream', STREAM)];
  const rate = stream ? Math.max(...stream) : null;
  /** @type {any} */
  const summary = {}, rows = [];
  for (const [size, shape] of Object.entries(LLAMAS)) {
    for (const type of LLAMA_TYPES) {
      for (const what of [...LLAMA_POSITIONS, 'prompt']) {
        const ours = times(size, type, what, 'ours');
        if (!ours) continue;
        const others = peers.flatMap(({ id, name }) => {
          const found = times(size, type, what, id);
          // Both were measured in every round, so each round has a ratio of its own.
          return found ? [{ id, name, ms: median(found), ratio: median(found.map((ms, round) => ms / ours[round])) }] : [];
        });
        const fastest = others.length ? others.reduce((best, one) => (one.ms < best.ms ? one : best)) : null;
        const gigabytes = what === 'prompt' ? null : bytesOf(shape, type) / Math.min(...ours) / 1e6;
        const one = {
          ours: median(ours), peer: fastest?.ms ?? null, peerName: fastest?.name ?? null, ratio: fastest?.ratio ?? null,
          wllama: others.find(({ id }) => id === 'wllama')?.ratio ?? null, gigabytes, share: gigabytes && rate ? gigabytes / rate : null,
        };
        rows.push({ size, type, what, ...one, others });
        ((summary[size] ??= {})[type] ??= {})[what] = one;
      }
      // The figures of the table's first position stand for the whole.
      if (summary[size]?.[type]) Object.assign(summary[size][type], summary[size][type][LLAMA_POSITIONS[0]]);
    }
  }
  /** @type {import('./summary.js').Goal[]} */
  const goals = [];
  for (const { size, type, what, wllama, share } of rows) {
    const wanted = what === 'prompt' ? 3 : 5, name = what === 'prompt' ? `a prompt of ${PROMPT} tokens` : `position ${what}`;
    if (wllama !== null) goals.push({ name: `times wllama, llama ${size} ${type}, ${name}`, value: wllama, wanted, atMost: false, met: wllama >= wanted });
    if (size === '110M' && what === LLAMA_POSITIONS[0] && share !== null) {
      goals.push({ name: `share of the streaming rate, llama ${size} ${type}, ${name}`, value: share, wanted: SHARE, atMost: false, met: share >= SHARE });
    }
  }
  return { rows, summary, goals, rate };
}
