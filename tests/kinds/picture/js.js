// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `picture` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { readFile } from 'node:fs/promises';

import { GOLDEN, ROOT } from '../../js/helpers.js';
import { blocks, ids, large, linear } from '../grown.js';
import { few, graded, patterned, plain } from '../inputs.js';

/** @import { Rows } from '../js.js' */

const own = (/** @type {any} */ { width, height, channels }) => patterned(width, height, channels);

/** @type {Rows['verbs']} */
export const verbs = {
  generate: {
    file: `${GOLDEN}local-f16.gguf`,
    options: { samples: 3, chunkSize: 7 },
    score: (model, [first]) => model.score(first),
  },
  'generate, samples that compete': {
    file: `${GOLDEN}local-f16.gguf`,
    options: { samples: 4, resample: 2, resampleRows: 1, chunkSize: 7 },
  },
  'generate, Gated PixelCNN': { file: `${GOLDEN}gated-pixelcnn-tiny.gguf`, options: { chunkSize: 9 } },
  complete: { file: `${GOLDEN}palette-2d.gguf`, options: { samples: 2, chunkSize: 5 }, input: own },
  superResolve: {
    file: `${GOLDEN}palette-2d-sr.gguf`,
    options: { chunkSize: 9 },
    input: ({ inputWidth, inputHeight, channels }) => patterned(inputWidth, inputHeight, channels),
  },
};

export const lists = 'options are numbers and texts';

/** @type {Rows['waiting']} */
export const waiting = {
  complete: { file: `${GOLDEN}local-f16.gguf`, ask: (model, options, input) => model.complete(input, options), forms: ['address'] },
  superResolve: {
    file: `${GOLDEN}palette-2d-sr.gguf`,
    ask: (model, options, input) => model.superResolve(input, options),
    forms: ['address'],
  },
  score: { file: `${GOLDEN}local-f16.gguf`, ask: (model, options, input) => model.score(input, options), forms: ['address'] },
  attention: {
    file: `${GOLDEN}local-f16.gguf`,
    ask: (model, options, input) => model.attention(input, { row: 0, column: 0, ...options }),
    forms: ['address'],
  },
  generate: 'no input',
};

/** @type {Rows['promises']} */
export const promises = {
  async superResolve(load) {
    return few((await load(`${ROOT}weights/emoji-sr.gguf`)).superResolve(plain(1024, 1024, 3), { seed: 1 }));
  },
  async complete(load) {
    return few((await load(`${ROOT}weights/digits.gguf`)).complete(plain(28, 28, 1), { rows: 26, seed: 1 }));
  },
  async 'generate, from a Blob'(load) {
    const model = await load(new Blob([await readFile(`${ROOT}weights/digits.gguf`)]));
    return model
      .generate({ seed: 1 })
      .pictures()
      .then((/** @type {any} */ [{ data }]) => data.length);
  },
};

/** @type {Rows['nested']} */
export const nested = {
  complete: { file: `${GOLDEN}local-f16.gguf`, input: ({ width, height }) => [graded(width, height, 1), { rows: 1 }] },
};

export const typed = 'labels';

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

/** @type {Rows['slices']} */
export const slices = {
  'gated PixelCNN: a row of 256 pixels through wide layers': {
    file: () => gated(256, 512, 6, 3),
    draw: () => ({}),
  },
  'gated PixelCNN: given rows': {
    file: () => gated(256, 512, 6, 3),
    draw: () => ({ known: ids(600, 4) }),
    alike: true,
  },
};

/** @type {Rows['runs']} */
export const runs = {
  run: (model, options) =>
    model.info.verbs.includes('superResolve')
      ? model.superResolve(patterned(model.info.inputWidth, model.info.inputHeight, model.info.channels), options)
      : model.complete(own(model.info), { rows: model.info.height - 1, ...options }),
  ids: ({ values }) => [...values],
  saved: ['digits', 'emoji-sr'],
  alike: /^(cifar10|image-transformer)/,
};

const blank = (/** @type {any} */ { width, height, channels }) => ({ data: new Uint8Array(width * height * channels), width, height });

/** @type {Rows['options']} */
export const options = {
  files: ['local-f16', 'palette-2d-sr'],
  inputs: { complete: (info) => [blank(info)], superResolve: (info) => [blank(info)] },
};

export const probabilities = 'numbers.test.js tests the distributions of pictures in detail';

/** @type {Rows['keys']} */
export const keys = {
  integers: {
    'pixelcnn-tiny': 'more',
    'fvsbn-tiny': 'more',
    'gated-pixelcnn-tiny': 'more',
    'sparse-strided': 'always',
    'wavenet-picture': 'more',
    'local-q8_0': 'more',
  },
  read: { 'local-q8_0': ['image-transformer.classes'] },
  numbers: {
    'direct-palette': ['image-transformer.attention.memory_block'],
    'dmol-2d-sr': ['image-transformer.attention.flange_rows', 'image-transformer.attention.flange_cols'],
  },
};

export const evaluation = 'eval.test.js measures pictures in detail';

export const holes = 'nested-inputs.test.js';

/** @type {Rows['tasks']} */
export const tasks = { draws: ['complete', 'generate', 'super-resolve'] };

/** Returns a picture of n pixels. @param {number} n @param {number} channels */
const photo = (n, channels) => patterned(n / 256, 256, channels);

/** @type {Rows['doubling']} */
export const doubling = {
  'generate, a class': { file: `${GOLDEN}local-f16.gguf`, n: 1 << 20, make: (n) => [{ label: 'a'.repeat(n) }] },
  'complete, a picture': {
    file: `${GOLDEN}palette-2d.gguf`,
    n: 1 << 20,
    make: (n, { channels, height }) => [photo(n, channels), { rows: height - 1 }],
  },
  'superResolve, a picture': { file: `${GOLDEN}palette-2d-sr.gguf`, n: 1 << 20, make: (n, { channels }) => [photo(n, channels)] },
  'score, a picture': { file: `${GOLDEN}local-f16.gguf`, n: 1 << 20, make: (n, { channels }) => [photo(n, channels)] },
  'score, pictures': { file: `${GOLDEN}local-f16.gguf`, n: 64, make: (n, info) => [Array(n).fill(own(info))] },
  'attention, a picture': {
    file: `${GOLDEN}local-f16.gguf`,
    n: 1 << 20,
    make: (n, { channels }) => [photo(n, channels), { row: 0, column: 0 }],
  },
};

export const sheets = 'has no sheet of its own that grows';

export const scaling = 'its rows of doubling have all inputs';

export const readers = 'no module of the kind reads files';

export const bounds = 'no module or object of the kind keeps a map or a set';
