// SPDX-License-Identifier: MIT
// @ts-check

/** The llama section of the benchmark: measures language models in all runtimes. There are models of three sizes, each in three weight
 * types. Their weights are random. */

import { LLAMAS, POOL, bytesOf, llamaModel, weightsOf } from './language.js';
import { FLOAT, INT32, INT64, Graph } from './onnx.js';
import { floats, int8, normal } from './random.js';
import { key, median } from './summary.js';

/** @import { Probe } from './arena.js' */
/** @import { LlamaShape } from './language.js' */
/** @import { Stage } from './probes.js' */
/** @import { Samples } from './summary.js' */

/** The weight types. */
export const LLAMA_TYPES = Object.freeze(/** @type {const} */ (['q8_0', 'q4_0', 'q4_k_m']));
/** The model sizes. Each size runs in its own browser pages. The first LLAMA_ALWAYS sizes are always measured. */
export const LLAMA_SIZES = Object.freeze(['135M', '0.6B', '110M']);
export const LLAMA_ALWAYS = 2;
/**
 * Positions at which the time of a step is measured, and the maximum number of rounds. In other runtimes, only the first position is
 * measured. The prompt is short because other runtimes read prompts slowly.
 */
const LLAMA_POSITIONS = Object.freeze([64, 512]);
export const LLAMA_ROUNDS = 3;
/** Number of positions of the longest run. */
export const LLAMA_LONGEST = 1024;
const PROMPT = 64;
/** The streaming rate is measured by reading this many megabytes, about the size of the smaller models with 8-bit weights. */
export const STREAM = 128;
/** Goal: a step reads its weights at this share of the streaming rate, or faster. */
const SHARE = 0.7;

/**
 * Makes a model of the given shape for ONNX Runtime. Each matrix product quantises its input to 8 bits at run time (DynamicQuantizeLinear).
 * Cached attention, rotary positions and the norm use the runtime's own operators. The embedding table has only the ids that the benchmark
 * uses, because a larger table would take memory and time without changing the results.
 *
 * Inputs:
 * - input_ids, of shape (1, tokens)
 * - total: the number of positions after this run
 * - length: total minus one
 * - past.I.key and past.I.value for each block I
 *
 * @param {LlamaShape} shape
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function onnxLlama(shape) {
  const { width, blocks, heads, values, length } = shape,
    k = width / heads;
  const pool = floats(normal(1), POOL, 0.02),
    graph = new Graph(),
    zero = graph.int8([], Int8Array.of(0));
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
  const angles = Array.from({ length: (length * k) / 2 }, (_, i) => Math.floor(i / (k / 2)) / 10000 ** ((2 * (i % (k / 2))) / k));
  const cosines = graph.floats([length, k / 2], Float32Array.from(angles, Math.cos));
  const sines = graph.floats([length, k / 2], Float32Array.from(angles, Math.sin));
  graph.input('input_ids', INT64, [1, 'tokens']);
  graph.input('length', INT32, [1]);
  graph.input('total', INT32, [1]);
  let [x] = graph.node('Gather', [graph.floats([256, width], pool.subarray(0, 256 * width)), 'input_ids']);
  for (let i = 0; i < blocks; i++) {
    const past = [`past.${i}.key`, `past.${i}.value`],
      present = [`present.${i}.key`, `present.${i}.value`];
    for (const name of past) graph.input(name, FLOAT, [1, heads, 'past', k]);
    for (const name of present) graph.output(name, FLOAT, [1, heads, 'total', k]);
    const qkv = project(quantise(norm(x)), 3 * width, width),
      mixed = `mixed.${i}`;
    graph.node(
      'GroupQueryAttention',
      [qkv, '', '', ...past, 'length', 'total', cosines, sines],
      { num_heads: heads, kv_num_heads: heads, do_rotary: 1, rotary_interleaved: 1 },
      [mixed, ...present],
      'com.microsoft',
    );
    [x] = graph.node('Add', [x, project(quantise(mixed), width, width)]);
    const inner = quantise(norm(x)),
      gate = project(inner, shape.inner, width),
      up = project(inner, shape.inner, width);
    const [sigmoid] = graph.node('Sigmoid', [gate]),
      [silu] = graph.node('Mul', [gate, sigmoid]),
      [gated] = graph.node('Mul', [silu, up]);
    [x] = graph.node('Add', [x, project(quantise(gated), width, shape.inner)]);
  }
  const last = graph.node('Gather', [norm(x), graph.int64([], [-1])], { axis: 1 })[0]; // logits of the last token only
  graph.node('Identity', [project(quantise(last), values, width)], {}, ['logits']);
  graph.output('logits', FLOAT, [1, values]);
  return graph.model();
}

/**
 * Starts nextpixel, and the other runtimes if requested, with models of one size. Each weight type runs in separate browser pages.
 *
 * @param {Stage} stage
 * @param {string} size
 * @param {boolean} withPeers
 * @param {(line: string) => void} say
 * @param {(address: string) => ReturnType<typeof import('./native.js').startNative>} [native]  starts native llama.cpp
 */
export async function llamaProbes({ arena, chosen, provide, steps }, size, withPeers, say, native) {
  /** @type {Probe[]} */
  const probes = [];
  const count = Math.min(steps, 16),
    shape = LLAMAS[size];
  /** @param {string} id @param {{ page: string, target: string }} target @param {string} type @param {readonly number[]} positions */
  const add = (id, target, type, positions) => {
    for (const position of positions) {
      probes.push({
        name: key('llama', size, type, position, id),
        ...target,
        method: 'time',
        args: { position, steps: count, greedy: true },
      });
    }
    probes.push({ name: key('llama', size, type, 'prompt', id), ...target, method: 'prompt', args: { length: PROMPT } });
  };
  for (const type of LLAMA_TYPES) {
    say(`starting llama ${size} ${type} ...`);
    const model = provide(`llama-${size}-${type}.gguf`, () => llamaModel(shape, type));
    add(
      'ours',
      await arena.start(`llama ${size} ${type}`, `${chosen} ${model}`, 'ours', 'startCore', { wasm: `/web/dist/${chosen}.wasm`, model }),
      type,
      LLAMA_POSITIONS,
    );
    if (native) add('native', arena.keep(`native ${size} ${type}`, 'native', await native(model)), type, LLAMA_POSITIONS);
    if (!withPeers) continue;
    const given = { peers: '/tests/bench/node_modules', model, shape: { ...shape, side: 32 } };
    add('wllama', await arena.start(`wllama ${size} ${type}`, 'wllama', 'wllama', 'start', given), type, LLAMA_POSITIONS.slice(0, 1));
  }
  if (!withPeers || size !== '110M') return probes;
  say(`starting llama ${size} onnxruntime ...`);
  const model = provide(`llama-${size}.onnx`, () => onnxLlama(shape));
  const given = { peers: '/tests/bench/node_modules', model, shape, prompts: true };
  add(
    'onnxruntime',
    await arena.start(`onnxruntime ${size}`, 'onnxruntime', 'onnxruntime', 'start', given),
    'int8',
    LLAMA_POSITIONS.slice(0, 1),
  );
  return probes;
}

/** Returns the number of multiply-adds of the matrices for a prompt. Only the last token goes through the output layer.
 * @param {LlamaShape} shape */
const promptMacs = (shape) => PROMPT * weightsOf(shape) - (PROMPT - 1) * shape.values * shape.width;

/**
 * @param {Samples} samples
 * @param {readonly { id: string, name: string }[]} peers
 * @param {number | null} [dots]  speed of the dot-product loop with four columns, in billions of multiply-adds per second
 */
export function llamaResult(samples, peers, dots = null) {
  /** @param {string} size @param {string} type @param {string | number} what @param {string} id */
  const times = (size, type, what, id) => samples[key('llama', size, id === 'onnxruntime' ? 'int8' : type, what, id)];
  const stream = samples[key('ceiling', 'stream', STREAM)];
  const rate = stream ? Math.max(...stream) : null;
  /** @type {any} */
  const summary = {},
    rows = [];
  for (const size of Object.keys(LLAMAS)) {
    for (const type of LLAMA_TYPES) {
      for (const what of [...LLAMA_POSITIONS, 'prompt']) {
        const ours = times(size, type, what, 'ours');
        if (!ours) continue;
        const others = peers.flatMap(({ id, name }) => {
          const found = times(size, type, what, id);
          // Every round measured both runtimes, so each round has its own ratio.
          return found ? [{ id, name, ms: median(found), ratio: median(found.map((ms, round) => ms / ours[round])) }] : [];
        });
        const inBrowser = others.filter(({ id }) => id !== 'native');
        const fastest = inBrowser.length ? inBrowser.reduce((best, one) => (one.ms < best.ms ? one : best)) : null;
        const gigabytes = what === 'prompt' ? null : bytesOf(LLAMAS[size], type) / Math.min(...ours) / 1e6;
        const gigamacs = what === 'prompt' ? promptMacs(LLAMAS[size]) / Math.min(...ours) / 1e6 : null;
        const one = {
          ours: median(ours),
          peer: fastest?.ms ?? null,
          peerName: fastest?.name ?? null,
          ratio: fastest?.ratio ?? null,
          wllama: others.find(({ id }) => id === 'wllama')?.ratio ?? null,
          native: others.find(({ id }) => id === 'native')?.ratio ?? null,
          gigabytes,
          gigamacs,
          share: gigabytes && rate ? gigabytes / rate : gigamacs && dots ? gigamacs / dots : null,
        };
        rows.push({ size, type, what, ...one, others });
        ((summary[size] ??= {})[type] ??= {})[what] = one;
      }
      // The figures at the first position also serve as the figures of the model as a whole.
      if (summary[size]?.[type]) Object.assign(summary[size][type], summary[size][type][LLAMA_POSITIONS[0]]);
    }
  }
  /** @type {import('./summary.js').Goal[]} */
  const goals = [];
  for (const { size, type, what, wllama, share } of rows) {
    const wanted = 8,
      name = what === 'prompt' ? `a prompt of ${PROMPT} tokens` : `position ${what}`;
    if (wllama !== null)
      goals.push({ name: `times wllama, llama ${size} ${type}, ${name}`, value: wllama, wanted, atMost: false, met: wllama >= wanted });
    if (size === '110M' && what === LLAMA_POSITIONS[0] && share !== null) {
      goals.push({
        name: `share of the streaming rate, llama ${size} ${type}, ${name}`,
        value: share,
        wanted: SHARE,
        atMost: false,
        met: share >= SHARE,
      });
    }
  }
  return { rows, summary, goals, rate };
}
