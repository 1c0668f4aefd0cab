// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind note for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { ROOT } from '../../js/helpers.js';

/** @import { Rows } from '../js.js' */

const chorales = `${ROOT}weights/chorales.gguf`;
const tune = () => [67, 69, 71, 72].map((pitch, i) => ({ start: 4 * i, length: 4, pitch, voice: 'soprano' }));

/** @type {Rows['verbs']} */
export const verbs = {
  generate: { file: chorales, options: { bars: 1, chunkSize: 4 } },
  complete: { file: chorales, options: { bars: 2, chunkSize: 4 }, input: tune },
  'complete, a given voice': { file: chorales, options: { voices: ['soprano'], chunkSize: 8 }, input: tune },
};

/** @type {Rows['lists']} */
export const lists = {
  voices: {
    file: chorales,
    begin: (model, options) => model.complete(tune(), options),
    options: () => ({ voices: ['soprano'], bars: 1 }),
    change: ({ voices }) => voices.fill('bass'),
  },
};
