// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The worker handles its messages at least every MOST_MS of processor time, so that a stop takes effect, even if a file declares very large
 * pictures, sounds and sentences or has unusual layers.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Jobs } from '../../web/lib/engine/jobs.js';
import { EVERY } from '../more.js';
import { readGGUF, writeGGUF } from './gguf.js';
import { GOLDEN, cost, wasmModule } from './helpers.js';

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

for (const [name, make, inputs] of ENCODERS)
  test(name, () => {
    /** @type {FromWorker[]} */
    const posted = [];
    /** @type {(() => void)[]} */
    const turns = [];
    const jobs = new Jobs(
      (message) => posted.push(message),
      (task) => () => void turns.push(task),
    );
    jobs.receive({ type: 'open', id: 1, module: wasmModule, bytes: make() });
    assert.equal(posted[0].type, 'opened', JSON.stringify(posted[0]));
    let all = 0;
    let most = cost(() => jobs.receive({ type: 'encode', id: 2, part: 0, inputs }));
    for (let turn; all < ENOUGH_MS && (turn = turns.shift()); ) {
      const ms = cost(turn);
      all += ms;
      most = Math.max(most, ms);
    }
    const failed = /** @type {any} */ (posted.find(({ type }) => type === 'failed'));
    assert.equal(failed, undefined, failed?.error.message);
    assert.ok(all > 20, `${all} ms in total: too short to be meaningful`);
    assert.ok(most < MOST_MS, `${most} ms without handling a message`);
    jobs.receive({ type: 'stop', id: 2 });
    assert.equal(jobs.core?.sessions, 0);
  });
