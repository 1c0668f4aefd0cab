// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `sound` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { writeWav } from '../../../web/lib/media/wav.js';
import { GOLDEN } from '../../js/helpers.js';
import { tone } from '../inputs.js';

/** @import { Rows } from '../js.js' */

const wavenet = `${GOLDEN}wavenet-tiny.gguf`;

/** @type {Rows['verbs']} */
export const verbs = {
  generate: {
    file: wavenet,
    options: { seconds: 0.01, chunkSize: 16 },
    score: (model, samples) => model.score({ samples, sampleRate: 8000 }),
  },
  'generate, until silence': { file: wavenet, options: { seconds: 0.05, silence: 0.002, temperature: 0, chunkSize: 16 } },
  complete: { file: wavenet, options: { seconds: 0.01, chunkSize: 16 }, input: () => tone(100) },
};

export const lists = 'options are numbers and texts';

/** @type {Rows['waiting']} */
export const waiting = {
  complete: { file: wavenet, ask: (model, options, input) => model.complete(input, options), forms: ['address', 'recording', 'file'] },
  score: { file: wavenet, ask: (model, options, input) => model.score(input, options), forms: ['address', 'recording', 'file'] },
  generate: 'no input',
};

/** @type {Rows['promises']} */
export const promises = {
  async generate(load) {
    return (await load(wavenet))
      .generate({ seconds: 0.005, seed: 1 })
      .samples()
      .then((/** @type {any} */ samples) => [...samples]);
  },
};

/** @type {Rows['nested']} */
export const nested = {
  complete: { file: wavenet, input: ({ sampleRate }) => [{ samples: [0, 0.5], sampleRate }, { seconds: 0.002 }] },
};

export const typed = 'labels and speakers';

export const slices = 'a column is one id, as in the row of texts';

/** @type {Rows['runs']} */
export const runs = {
  run: (model, options) => model.generate({ seconds: 0.02, ...options }),
  ids: ({ levels }) => [...levels],
  begins: true,
  heard: ({ samples }) => samples.length,
  saved: ['wavenet'],
};

/** @type {Rows['options']} */
export const options = { files: ['wavenet-tiny'] };

export const probabilities = 'sound.test.js';

/** @type {Rows['keys']} */
export const keys = {
  integers: { 'wavenet-tiny': 'more' },
  read: { 'wavenet-tiny': ['wavenet.sound.rate', 'wavenet.speakers', 'wavenet.dilations', 'wavenet.classes'] },
};

/** @type {Rows['evaluation']} */
export const evaluation = { made: [['wavenet', 'held_out.py fsdd']] };

export const holes = 'nested-inputs.test.js';

/** @type {Rows['tasks']} */
export const tasks = { draws: ['complete', 'generate'] };

/** @type {Rows['doubling']} */
export const doubling = {
  generate: 'options are numbers, a class and a speaker',
  'complete, a sound': { file: wavenet, n: 1 << 12, make: (n) => [tone(n), { seconds: 0.002 }] },
  'complete, a sound at another rate': {
    file: wavenet,
    n: 1 << 14,
    make: (n) => [{ ...tone(n), sampleRate: 44100 }, { seconds: 0.002 }],
  },
  'complete, a WAV file': {
    file: wavenet,
    n: 1 << 12,
    make: (n) => [new Blob([writeWav(tone(n).samples, 8000)]), { seconds: 0.002 }],
  },
  'score, a sound': { file: wavenet, n: 1 << 12, make: (n) => [tone(n)] },
  'score, sounds': { file: wavenet, n: 256, make: (n) => [Array(n).fill(tone(20))] },
};

/** @type {Rows['sheets']} */
export const sheets = {
  async Waveform({ canvas, doubled, list, painted }) {
    const { Waveform } = await import('../../../web/lib/media/waveform.js');
    const sound = (/** @type {number} */ count) => list(count, () => ({ samples: new Float32Array(64), nats: new Float32Array(64) }));
    doubled('a sound', 1 << 12, sound, (steps) => painted(new Waveform(canvas(), { sampleRate: 8000, most: 1000 }), steps));
  },
};

/** @type {Rows['scaling']} */
export const scaling = {
  async 'MIDI files with many notes, and WAV files with many samples'({ doubled }) {
    const { openWav, writeWav } = await import('../../../web/lib/media/wav.js');
    doubled(
      'WAV',
      1 << 19,
      (count) => writeWav(new Float32Array(count), 8000),
      (/** @type {any} */ bytes) => openWav(bytes).read(0, openWav(bytes).count),
    );
  },
};

export const readers = 'no module of the kind reads files';

export const bounds = 'no module or object of the kind keeps a map or a set';
