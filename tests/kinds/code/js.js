// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `code` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { GOLDEN } from '../../js/helpers.js';
import { grown, ids } from '../grown.js';
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

/** @type {Rows['slices']} */
export const slices = {
  'codes: a sound of ten seconds': {
    file: () => grown('jukebox-tiny', {}, {}),
    encode: () => ({ sound: ids(10 * 8000, 256) }),
  },
};

/** @type {Rows['runs']} */
export const runs = {
  run: (model, options) => model.generate({ seconds: 0.1, ...options }),
  ids: ({ codes, samples }) => [...codes, ...samples],
  begins: true,
  levels: ['top', 'bottom', 'sound'],
  heard: () => undefined,
  saved: ['jukebox-small'],
  bothWays: {
    file: jukebox,
    input: ({ sampleRate }) => ({ samples: Float32Array.from({ length: 4000 }, (_, i) => Math.sin(i / 9) / 2), sampleRate }),
  },
};

/** @type {Rows['options']} */
export const options = { files: ['jukebox-tiny'] };

/** @type {Rows['probabilities']} */
export const probabilities = [
  {
    file: jukebox,
    begin: (model, options) => model.generate({ seconds: 0.01, ...options }),
    ids: ({ level, codes, nats }) => (level === 'sound' ? [] : [[[...codes], nats]]),
  },
];

export const keys = 'its keys are read by the same functions as those of a sound';

export const evaluation = 'its data are the recordings of sounds';

export const holes = 'nested-inputs.test.js';

/** @type {Rows['tasks']} */
export const tasks = { draws: ['complete', 'generate'] };

/** @type {Rows['doubling']} */
export const doubling = {
  generate: 'options are numbers, a class and a speaker',
  'complete, a sound': { file: jukebox, n: 1 << 16, make: (n) => [tone(n), { seconds: 0.002 }] },
  'encode, a sound': { file: jukebox, n: 1 << 16, make: (n) => [tone(n)] },
  'encode, a sound at another rate': { file: jukebox, n: 1 << 16, make: (n) => [{ ...tone(n), sampleRate: 44100 }] },
  'decode, codes': { file: jukebox, n: 1 << 16, make: (n) => [{ top: Array(n).fill(1), bottom: Array(4 * n).fill(1) }] },
};

export const sheets = 'has no sheet of its own that grows';

export const scaling = 'its rows of doubling have all inputs';

export const readers = 'no module of the kind reads files';

export const bounds = 'no module or object of the kind keeps a map or a set';
