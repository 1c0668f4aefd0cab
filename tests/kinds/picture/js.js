// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind picture for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN } from '../../js/helpers.js';
import { patterned } from '../inputs.js';

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
