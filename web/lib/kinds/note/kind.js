// SPDX-License-Identifier: MIT
// @ts-check

import { SOUND } from '../ends.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of the types that belong to this kind: the model class (`model`), the type of a model's `info` (`info`), the types of steps and
 * results (`steps`), and all others (`others`). The manual's reference shows these types under `heading`. `ends` lists the properties of
 * the nx-end event for runs of this kind.
 */
export const TYPES = {
  heading: 'Music',
  model: 'NoteModel',
  info: 'NoteInfo',
  steps: ['NoteStep'],
  others: ['NoteRun', 'SavedNote', 'NoteScore', 'MusicSource', 'Note'],
  ends: { ...SOUND, notes: ['Note[]', 'for music: the notes, including the given ones'] },
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  note: [
    '{} makes music: the page on chorales has models of this kind.',
    'Try: draw a piece, then give it the first bars of one of your own MIDI files.',
  ],
};

export const OPTIONS = { note: ['NoteOptions', 'The options for drawing music.'] };

/** Models that draw music note by note. @type {Kind} */
export const kind = {
  name: 'note',
  says: (_, number) => Number(number('notes.ticks')) > 0,
  verbs: { complete: { settings: 'note', names: ['voices'] }, generate: { settings: 'note' }, score: { names: ['signal'] } },
  open: async (engine, facts) => new (await import('./notes.js')).NoteModel(engine, facts),
};
