// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `latent` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { GOLDEN } from '../../js/helpers.js';
import { grown, ids } from '../grown.js';
import { few } from '../inputs.js';

/** @import { Rows } from '../js.js' */

const sagan = `${GOLDEN}sagan-tiny.gguf`;

/** @type {Rows['verbs']} */
export const verbs = {
  generate: { file: sagan, options: { samples: 3 } },
  walk: { file: sagan, options: { steps: 3 } },
};

/** @type {Rows['lists']} */
export const lists = {
  latent: {
    file: sagan,
    begin: (model, options) => model.generate(options),
    options: ({ latent }) => ({ latent: Array(latent).fill(0.5) }),
    change: ({ latent }) => latent.fill(-2),
  },
};

/** @type {Rows['waiting']} */
export const waiting = { generate: 'no input', walk: 'inputs are numbers' };

/** @type {Rows['promises']} */
export const promises = {
  async generate(load) {
    return few((await load(sagan)).generate({ seed: 1 }));
  },
};

/** @type {Rows['nested']} */
export const nested = {
  walk: { file: sagan, input: ({ latent }) => [Array(latent).fill(0.1), 2, { steps: 3 }] },
};

export const typed = 'labels';

/** @type {Rows['slices']} */
export const slices = {
  'SAGAN: every location of a 256 x 256 picture attends to every other': {
    file: () =>
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
    encode: () => ({ latent: ids(20, 65536), class: ids(1, 3) }),
  },
};

/** @type {Rows['runs']} */
export const runs = { run: (model, options) => model.generate({ samples: 2, ...options }), ids: ({ values }) => [...values] };

/** @type {Rows['options']} */
export const options = { files: ['sagan-tiny'], inputs: { walk: () => [1, 2] } };

export const probabilities = 'a latent is drawn in one pass, not from distributions of values';

/** @type {Rows['keys']} */
export const keys = {
  integers: { 'sagan-tiny': 'always' },
  read: { 'sagan-tiny': ['sagan.classes'] },
  numbers: { 'sagan-plain-tiny': ['sagan.image.channels'] },
};

export const evaluation = 'is measured without data';

export const holes = 'nested-inputs.test.js';

/** @type {Rows['tasks']} */
export const tasks = { draws: ['generate', 'walk'] };

/** @type {Rows['doubling']} */
export const doubling = {
  'generate, a latent': { file: sagan, n: 1 << 18, make: (n) => [{ latent: Array(n).fill(0.5) }] },
  'generate, latents': {
    file: sagan,
    n: 1 << 16,
    make: (n, { latent }) => [{ latent: Array(n).fill(Array(latent).fill(0.5)), samples: 2 }],
  },
  'walk, latents': { file: sagan, n: 1 << 18, make: (n) => [Array(n).fill(0.5), Array(n).fill(-0.5), { steps: 2 }] },
};

export const sheets = 'has no sheet of its own that grows';

export const scaling = 'its rows of doubling have all inputs';

export const readers = 'no module of the kind reads files';

export const bounds = 'no module or object of the kind keeps a map or a set';
