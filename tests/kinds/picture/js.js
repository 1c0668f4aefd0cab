// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind picture for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { readFile } from 'node:fs/promises';

import { GOLDEN, ROOT } from '../../js/helpers.js';
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
