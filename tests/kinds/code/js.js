// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind code for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN } from '../../js/helpers.js';
import { tone } from '../inputs.js';

/** @import { Rows } from '../js.js' */

const jukebox = `${GOLDEN}jukebox-tiny.gguf`;

/** @type {Rows['verbs']} */
export const verbs = {
  generate: { file: jukebox, options: { seconds: 0.05 } },
  complete: { file: jukebox, options: { seconds: 0.02 }, input: () => tone(20) },
};

export const lists = 'options are numbers and texts';

/** @type {Rows['waiting']} */
export const waiting = {
  complete: { file: jukebox, ask: (model, options, input) => model.complete(input, options), forms: ['address', 'recording', 'file'] },
  encode: { file: jukebox, ask: (model, options, input) => model.encode(input, options), forms: ['address', 'recording', 'file'] },
  decode: 'codes are numbers',
  generate: 'no input',
};

/** @type {Rows['promises']} */
export const promises = {
  async encode(load) {
    return [...(await (await load(jukebox)).encode(tone(200))).top];
  },
};

/** @type {Rows['nested']} */
export const nested = {
  decode: { file: jukebox, input: () => [{ top: [1, 2], bottom: [1, 2, 3, 4, 1, 2, 3, 4] }] },
};

export const typed = 'only labels and speakers, by their names in the file';
