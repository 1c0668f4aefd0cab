// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `note` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { writeNotes } from '../../../web/lib/kinds/note/midi.js';
import { GOLDEN } from '../../js/helpers.js';

/** @import { Rows } from '../browser.js' */

/** Returns a MIDI file of four notes. @param {number} pitch */
const tune = (pitch) =>
  writeNotes(
    [0, 1, 2, 3].map((i) => ({ start: 4 * i, length: 4, pitch: pitch + 4 * i, velocity: 80, voice: 'one' })),
    { ticks: 4, voices: ['one'], tempo: 100 },
  );

/** Two notes as a user writes them. */
const NOTES = [67, 69].map((pitch, i) => ({ start: 4 * i, length: 4, pitch, voice: 'soprano' }));

/** @type {Rows['files']} */
export const files = {
  '/tune.mid': () => tune(62),
  '/other-tune.mid': () => tune(66),
  '/soprano.json': () => JSON.stringify(NOTES),
  '/soprano.mid': () =>
    writeNotes(
      NOTES.map((note) => ({ ...note, velocity: 80, nats: 0, given: true })),
      { ticks: 4, voices: ['soprano'], tempo: 100 },
    ),
};

/** @type {Rows['shown']} */
export const shown = {
  chorales: {
    attributes: { task: 'generate', bars: '1' },
    begin: (model, options) => model.generate({ ...options, bars: 1 }),
    ends: ({ notes, sampleRate }) => notes.length > 0 && sampleRate === 44100,
    freed: true,
  },
};

/** @type {Rows['long']} */
export const long = {
  'music of a hundred thousand notes': { weights: 'chorales', code: 'limit', ask: async (model, make) => model.score(make.midi(100_000)) },
  'music of five thousand notes': { weights: 'chorales', ask: async (model, make) => model.score(make.midi(5_000)) },
};

/** @type {Rows['inputs']} */
export const inputs = {
  score: { takes: 'music', weights: 'chorales', ask: async (model, music) => (await model.score(music)).nats },
  complete: {
    takes: 'music',
    weights: 'chorales',
    ask: async (model, music) => (await model.complete(music, { bars: 4 }).input).notes.length >= 2,
  },
};

const notes = `${GOLDEN}sparse-notes.gguf`;

/** @type {Rows['order']} */
export const order = {
  generate: { file: notes, attributes: { bars: '1', tempo: '300' } },
  complete: {
    file: notes,
    attributes: { src: '/tune.mid', bars: '2', tempo: '300' },
    values: { src: '/other-tune.mid', bars: '1', voices: 'soprano' },
  },
};
