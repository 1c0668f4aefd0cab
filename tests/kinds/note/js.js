// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `note` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { writeNotes } from '../../../web/lib/kinds/note/midi.js';
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

/** @type {Rows['waiting']} */
export const waiting = {
  complete: { file: chorales, ask: (model, options, input) => model.complete(input, options), forms: ['address', 'file'], rendered: true },
  score: { file: chorales, ask: (model, options, input) => model.score([input, input], options), forms: ['address', 'file'] },
  generate: 'no input',
};

/** @type {Rows['promises']} */
export const promises = {
  async complete(load) {
    return (await load(chorales)).complete([{ start: 0, length: 4, pitch: 67 }], { bars: 1, seed: 1 }).notes();
  },
};

/** @type {Rows['nested']} */
export const nested = {
  complete: {
    file: chorales,
    input: () => [
      [
        { start: 0, length: 4, pitch: 60, voice: 'soprano' },
        { start: 4, length: 4, pitch: 62, voice: 'soprano' },
      ],
      { bars: 1 },
    ],
  },
};

export const typed = 'only names of voices in the file';

export const slices = 'a column is one id, as in the row of texts';

/** @type {Rows['runs']} */
export const runs = {
  run: (model, options) => model.generate({ bars: 1, ...options }),
  ids: ({ ids, from }) => [...ids].slice(from === 0 ? 1 : 0),
  begins: true,
  saved: ['chorales'],
};

/** @type {Rows['options']} */
export const options = { files: [] };

export const probabilities = 'notes.test.js';

/** @type {Rows['keys']} */
export const keys = {
  read: { 'sparse-notes': ['sparse-transformer.notes.voices'] },
};

/** @type {Rows['evaluation']} */
export const evaluation = { measured: ['chorales'], odd: [['chorales', /holds no list of pieces/]] };

export const holes = 'nested-inputs.test.js';

/** @type {Rows['tasks']} */
export const tasks = { draws: ['complete', 'generate'] };

/** Returns n notes, each of which starts when the previous one ends. @param {number} n @param {(i: number) => string} voice */
const melody = (n, voice) => Array.from({ length: n }, (_, i) => ({ start: i, length: 1, pitch: 60 + (i % 9), voice: voice(i) }));

/** @type {Rows['doubling']} */
export const doubling = {
  generate: 'options are numbers',
  'complete, notes': { file: chorales, n: 1 << 13, make: (n) => [melody(n, () => 'soprano'), { bars: 1 }] },
  'complete, notes of many voices': { file: chorales, n: 1 << 13, make: (n) => [melody(n, (i) => `voice ${i}`), { bars: 1 }] },
  'complete, voices': { file: chorales, n: 1 << 16, make: (n) => [tune(), { voices: Array(n).fill('soprano'), bars: 1 }] },
  'complete, a MIDI file': {
    file: chorales,
    n: 1 << 12,
    make: (n) => [
      new Blob([
        writeNotes(
          melody(n, () => 'soprano').map((note) => ({ ...note, velocity: 80 })),
          { ticks: 4, voices: ['soprano'], tempo: 100 },
        ),
      ]),
      { bars: 1 },
    ],
  },
  'score, notes': { file: chorales, n: 1 << 13, make: (n) => [melody(n, () => 'soprano')] },
  'score, pieces': { file: chorales, n: 8, make: (n) => [Array(n).fill(tune())] },
};

/** @type {Rows['sheets']} */
export const sheets = {
  async Roll({ canvas, doubled, list, painted }) {
    const { Roll } = await import('../../../web/lib/kinds/note/roll.js');
    const notes = (/** @type {number} */ count) =>
      list(count, (i) => ({ time: i, events: [{ kind: 'note', voice: 'one', pitch: 60 + (i % 12), time: i, nats: 1, velocity: 80 }] }));
    doubled('music', 1 << 13, notes, (steps) =>
      painted(new Roll(canvas(), { voices: /** @type {any} */ ([{ name: 'one', low: 50, high: 80 }]), ticks: 4, bar: 16 }), steps),
    );
  },
};

/** @type {Rows['scaling']} */
export const scaling = {
  async 'MIDI files with many notes, and WAV files with many samples'({ doubled, list }) {
    const { readMidi, writeNotes } = await import('../../../web/lib/kinds/note/midi.js');
    doubled(
      'MIDI',
      6000,
      (count) =>
        writeNotes(
          list(count, (i) => ({ start: i, length: 1, pitch: 60, velocity: 80, voice: 'one' })),
          { ticks: 4, voices: ['one'], tempo: 100 },
        ),
      (/** @type {any} */ bytes) => readMidi(bytes),
    );
  },
};

/** @type {Rows['readers']} */
export const readers = {
  'codec.js': 'inputs of verbs',
  'midi.js': 'MIDI files with many notes, and WAV files with many samples',
};

/** @type {Rows['bounds']} */
export const bounds = {
  maps: {
    'alphabet.js waits': 'values of the file',
    'roll.js #open': 'pitches and voices',
  },
};
