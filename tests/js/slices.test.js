// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The worker handles its messages at least every MOST_MS of processor time, so that a stop takes effect, even if a file declares very large
 * pictures, sounds and sentences or has unusual layers.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Core } from '../../web/lib/engine/core.js';
import { Jobs } from '../../web/lib/engine/jobs.js';
import { MOST_BYTES } from '../../web/lib/engine/kept.js';
import { EVERY, more } from '../more.js';
import { F32, Q4_0, readGGUF, writeGGUF } from './gguf.js';
import { GOLDEN, cost, wasmModule } from './helpers.js';
import { toyText } from './toy-text.js';

/** @import { FromWorker } from '../../web/lib/engine/protocol.js' */

const MOST_MS = 300;
/** The time for which each file is computed; its expensive layers run within that time. */
const ENOUGH_MS = EVERY ? 2500 : 1200;

/** @param {unknown} value */
const typed = (value) => {
  if (Array.isArray(value)) return ['array', typeof value[0] === 'string' ? 'string' : 'u32', value];
  return typeof value === 'string' ? ['string', value] : [Number.isInteger(value) ? 'u32' : 'f32', value];
};

/**
 * Returns a golden file with other sizes. The tensors named in `shapes` get the shapes that follow from these sizes.
 * @param {string} name
 * @param {Record<string, any>} sizes
 * @param {Record<string, number[]>} shapes
 */
function grown(name, sizes, shapes) {
  const { metadata, tensors } = readGGUF(new Uint8Array(readFileSync(`${GOLDEN}${name}.gguf`)));
  for (const [tensor, shape] of Object.entries(shapes)) {
    const length = shape.reduce((a, b) => a * b);
    tensors[tensor] = { shape, type: 0, data: Float32Array.from({ length }, (_, i) => ((i * 37) % 101) / 1e4 - 0.005) };
  }
  return writeGGUF({
    metadata: Object.fromEntries(Object.entries({ ...metadata, ...sizes }).map(([key, value]) => [key, typed(value)])),
    tensors,
  });
}

/** @param {number} length @param {number} below */
const ids = (length, below) => Uint32Array.from({ length }, (_, i) => (i * 7919) % below);
const PIXELS = 256 * 256;

/** @type {[string, () => Uint8Array<ArrayBuffer>, Record<string, Uint32Array<ArrayBuffer>>][]} */
const ENCODERS = [
  [
    'SNAIL: a 7 x 7 convolution over 64 channels of a 256 x 256 picture',
    () =>
      grown(
        'snail-tiny',
        { 'snail.image.height': 256, 'snail.image.width': 256, 'snail.kernels': [7, 7, 3], 'snail.strides': [1, 1, 8] },
        {
          'embd.0.weight': [64, 49],
          'embd.0.bias': [64],
          'embd.1.weight': [64, 64 * 49],
          'embd.1.bias': [64],
          'embd.2.weight': [8, 64 * 9],
          'embd.out.weight': [24, 32 * 32 * 8],
        },
      ),
    { support: ids(2 * PIXELS, 256), labels: ids(2, 2), query: ids(PIXELS, 256) },
  ],
  [
    'SNAIL: a cheap first layer before an expensive one',
    () =>
      grown(
        'snail-tiny',
        { 'snail.image.height': 256, 'snail.image.width': 256, 'snail.kernels': [1, 15, 3], 'snail.strides': [1, 1, 8] },
        {
          'embd.0.weight': [4, 1],
          'embd.0.bias': [4],
          'embd.1.weight': [512, 4 * 225],
          'embd.1.bias': [512],
          'embd.2.weight': [8, 512 * 9],
          'embd.out.weight': [24, 32 * 32 * 8],
        },
      ),
    { support: ids(2 * PIXELS, 256), labels: ids(2, 2), query: ids(PIXELS, 256) },
  ],
  [
    'captions: an expensive convolution over a photograph',
    () =>
      grown(
        'show-attend-tell-soft',
        {
          'show-attend-tell.image.height': 256,
          'show-attend-tell.image.width': 256,
          'show-attend-tell.kernels': [1, 15],
          'show-attend-tell.strides': [1, 8],
        },
        {
          'enc.blk.0.weight': [64, 3],
          'enc.blk.0.bias': [64],
          'enc.blk.1.weight': [512, 64 * 225],
          'enc.blk.1.bias': [512],
          'position.weight': [1024, 512],
          'init_h.weight': [20, 512],
          'init_c.weight': [20, 512],
          'attn_k.weight': [16, 512],
          'cell.weight': [80, 540],
          'head.weight': [12, 540],
        },
      ),
    { image: ids(3 * PIXELS, 256) },
  ],
  [
    'SAGAN: every location of a 256 x 256 picture attends to every other',
    () =>
      grown(
        'sagan-tiny',
        {
          'sagan.image.height': 256,
          'sagan.image.width': 256,
          'sagan.attention.size': 128,
          'sagan.attention.pool': 0,
          'sagan.attention.key_length': 256,
          'sagan.attention.value_length': 256,
        },
        {
          'latent.weight': [64 * 64 * 32, 20],
          'latent.bias': [64 * 64 * 32],
          'attn.q.weight': [256, 16],
          'attn.k.weight': [256, 16],
          'attn.v.weight': [256, 16],
          'attn.output.weight': [16, 256],
        },
      ),
    { latent: ids(20, 65536), class: ids(1, 3) },
  ],
  ['trees: the longest sentence', () => grown('tree-tiny', {}, {}), { features: ids(128 * 4, 40) }],
  [
    'chains: the largest number of states, a long text',
    () =>
      grown(
        'chain-crf-tiny',
        { 'chain.states': 256, 'chain.tags': Array.from({ length: 256 }, (_, i) => `t${i}`) },
        {
          'feature.weight': [readGGUF(new Uint8Array(readFileSync(`${GOLDEN}chain-crf-tiny.gguf`))).metadata['chain.features'], 256],
          'transition.weight': [256, 256],
          'start.weight': [256],
          'end.weight': [256],
        },
      ),
    { features: ids(4000 * readGGUF(new Uint8Array(readFileSync(`${GOLDEN}chain-crf-tiny.gguf`))).metadata['chain.width'], 4) },
  ],
  ['codes: a sound of ten seconds', () => grown('jukebox-tiny', {}, {}), { sound: ids(10 * 8000, 256) }],
];

/**
 * A file of an architecture with tensors of these shapes; large ones are quantised (Q4_0).
 * @param {string} name  golden file with the other keys
 * @param {Record<string, any>} sizes
 * @param {Record<string, number[]>} shapes
 */
function large(name, sizes, shapes) {
  const { metadata } = readGGUF(new Uint8Array(readFileSync(`${GOLDEN}${name}.gguf`)));
  const all = Object.fromEntries(Object.entries({ ...metadata, ...sizes }).map(([key, value]) => [key, typed(value)]));
  const tensors = Object.fromEntries(
    Object.entries(shapes).map(([tensor, shape]) => {
      const length = shape.reduce((a, b) => a * b);
      if (length < 1 << 18)
        return [tensor, { shape, type: F32, data: new Float32Array(length).map((_, i) => ((i * 37) % 101) / 1e4 - 0.005) }];
      const data = new Uint8Array((length / 32) * 18).fill(0x5a);
      for (let at = 0; at < data.length; at += 18) data.set([0x00, 0x14], at); // the scale, 0.001
      return [tensor, { shape, type: Q4_0, data }];
    }),
  );
  return writeGGUF({ metadata: all, tensors });
}

/** The tensors of n blocks. @param {number} n @param {string} stack @param {Record<string, number[]>} each */
const blocks = (n, stack, each) =>
  Object.fromEntries(
    Array.from({ length: n }, (_, i) => Object.entries(each).map(([name, shape]) => [`${stack}blk.${i}.${name}`, shape])).flat(),
  );

/** A linear map with its bias. @param {string} name @param {number} rows @param {number} columns */
const linear = (name, rows, columns) => ({ [`${name}.weight`]: [rows, columns], [`${name}.bias`]: [rows] });
/** @param {string} name @param {number} d */
const norm = (name, d) => ({ [`${name}.weight`]: [d], [`${name}.bias`]: [d] });

/** @param {string} name @param {Record<string, number>} sizes @param {number} d */
const pixels = (name, sizes, d) => ({
  ...Object.fromEntries(Object.entries(sizes).map(([key, value]) => [`${name}.${key}`, value])),
  [`${name}.embedding_length`]: d,
  [`${name}.head_length`]: 16,
});

/** @param {number} side @param {number} d @param {number} layers @param {number} kernel */
const gated = (side, d, layers, kernel) => {
  const half = (kernel - 1) / 2 + 1;
  const gates = { ...linear('link', 2 * d, 2 * d), ...linear('output', d, d), 'class.weight': [3, 4 * d] };
  return large(
    'gated-pixelcnn-tiny',
    pixels('gated-pixelcnn', { 'image.height': side, 'image.width': side, kernel, input_kernel: 3, block_count: layers }, d),
    {
      'input.vertical.weight': [3 * 4, 2 * d],
      'input.vertical.bias': [2 * d],
      'input.horizontal.weight': [4, 2 * d],
      ...Object.fromEntries(Object.entries(gates).map(([name, shape]) => [`input.${name}`, shape])),
      ...blocks(layers, '', { ...gates, ...linear('vertical', 2 * d, half * kernel * d), 'horizontal.weight': [2 * d, half * d] }),
      ...linear('head.0', 16, d),
      ...linear('output', 4, 16),
    },
  );
};

/** @param {number} context @param {number} d @param {number} inner @param {number} layers */
const transformer = (context, d, inner, layers) => {
  const attention = (/** @type {string} */ name) => ({
    ...Object.fromEntries(['q', 'k', 'v', 'output'].map((part) => [`${name}_${part}.weight`, [d, d]])),
    ...norm(`${name}_norm`, d),
  });
  const rest = { ...linear('ffn_up', inner, d), ...linear('ffn_down', d, inner), ...norm('ffn_norm', d) };
  return large(
    'transformer-pre',
    {
      'transformer.context_length': context,
      'transformer.block_count': layers,
      'transformer.encoder.block_count': 1,
      'transformer.embedding_length': d,
      'transformer.feed_forward_length': inner,
      'transformer.position.type': 'none',
    },
    {
      'token_embd.weight': [257, d],
      ...blocks(1, 'enc.', { ...attention('attn'), ...rest }),
      ...norm('enc.output_norm', d),
      ...blocks(layers, '', { ...attention('attn'), ...attention('cross_attn'), ...rest }),
      ...norm('output_norm', d),
    },
  );
};

const SETTINGS = { seed: 1n, samples: 1, temperature: 1, topK: 0, topP: 1 };

/** Files that draw, and messages to the worker. @type {[string, () => Uint8Array<ArrayBuffer>, Record<string, any>][]} */
const DRAWERS = [
  ['gated PixelCNN: a row of 256 pixels through wide layers', () => gated(256, 512, 6, 3), {}],
  ['gated PixelCNN: given rows', () => gated(256, 512, 6, 3), { known: ids(600, 4) }],
  ['Transformer: a long sentence through a wide block', () => transformer(2048, 2048, 8192, 1), { inputs: { source: ids(2048, 257) } }],
];

/**
 * Measures the longest time that the worker takes without looking at its messages, and counts the chunks of the work.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {any} message
 */
function longest(bytes, message) {
  /** @type {FromWorker[]} */
  const posted = [];
  /** @type {(() => void)[]} */
  const turns = [];
  const jobs = new Jobs(
    (answer) => posted.push(answer),
    (task) => () => void turns.push(task),
  );
  jobs.receive({ type: 'open', id: 1, module: wasmModule, bytes });
  assert.equal(posted[0].type, 'opened', JSON.stringify(posted[0]));
  let [all, chunks] = [0, 0];
  let most = cost(() => jobs.receive({ ...message, id: 2 }));
  const next = () => message.type === 'draw' && jobs.receive({ type: 'next', id: 2, chunkSize: 1 });
  next();
  for (let turn; all < ENOUGH_MS && (turn = turns.shift()); ) {
    const ms = cost(turn);
    all += ms;
    chunks++;
    most = Math.max(most, ms);
    if (turns.length === 0) next();
  }
  const failed = /** @type {any} */ (posted.find(({ type }) => type === 'failed'));
  assert.equal(failed, undefined, failed?.error.message);
  jobs.receive({ type: 'stop', id: 2 });
  assert.equal(jobs.core?.sessions, 0);
  return { chunks, most };
}

/** Files whose expensive layers are of the same kind as those of another file here. */
const LIKE_ANOTHER = [
  'SNAIL: a cheap first layer before an expensive one',
  'captions: an expensive convolution over a photograph',
  'gated PixelCNN: given rows',
];

for (const [name, make, message] of [
  ...ENCODERS.map(([name, make, inputs]) => /** @type {const} */ ([name, make, { type: 'encode', part: 0, inputs }])),
  ...DRAWERS.map(
    ([name, make, how]) =>
      /** @type {const} */ ([name, make, { type: 'draw', known: new Uint32Array(0), inputs: {}, settings: SETTINGS, ...how }]),
  ),
])
  (LIKE_ANOTHER.includes(name) ? more : test)(name, (t) => {
    const { chunks, most } = longest(make(), message);
    t.diagnostic(`${chunks} chunks, at most ${most.toFixed(0)} ms at a time`);
    // A limit in milliseconds would depend on the machine: the longest sentence takes about 20 ms.
    assert.ok(chunks > 1, 'the work is not divided into chunks');
    assert.ok(most < MOST_MS, `${most} ms without handling a message`);
  });

test('the largest session that is copied (kept.js) is copied at once', (t) => {
  const core = new Core(wasmModule, toyText({ context: 1 << 17, d: 128, keyLength: 128 }));
  const length = Math.floor((MOST_BYTES / 2 / core.openSession(SETTINGS, { length: 1000 }).bytes) * 980);
  const session = core.openSession(SETTINGS, { length });
  assert.ok(2 * session.bytes <= MOST_BYTES && 2 * session.bytes > 0.9 * MOST_BYTES, `${session.bytes} bytes`);
  const ms = cost(() => core.branch(session, 0, SETTINGS, {}));
  t.diagnostic(`${ms.toFixed(0)} ms`);
  assert.ok(ms < MOST_MS, `${ms} ms`);
});
