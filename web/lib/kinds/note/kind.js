// SPDX-License-Identifier: MIT
// @ts-check

import { SOUND } from '../ends.js';

/** @import { Kind } from '../index.js' */

/**
 * The types of this kind: the class of its models, its steps or results, other types, and the fields of nx-end.
 */
export const TYPES = {
  model: 'NoteModel',
  info: 'NoteInfo',
  steps: ['NoteStep'],
  others: ['NoteRun', 'SavedNote', 'NoteScore', 'MusicSource', 'Note'],
  ends: { ...SOUND, notes: ['Note[]', 'for music: the notes, including the given ones'] },
};

/**
 * The demo pages that can run models of this kind. Each key is either a verb that the model must have, such as "translate", or the name of
 * the kind; the first key that fits the opened model is used. Each value has a sentence, in which {} stands for the file's name, and a
 * suggestion to try.
 */
export const PAGES = {
  note: [
    '{} makes music: the page of chorales shows such models.',
    'Try: draw a piece, then give it the first bars of one of your own MIDI files.',
  ],
};

export const OPTIONS = { note: ['NoteOptions', 'The options of music.'] };

/** Music, note by note. @type {Kind} */
export const kind = {
  name: 'note',
  says: (_, number) => Number(number('notes.ticks')) > 0,
  verbs: { complete: { settings: 'note', names: ['voices'] }, generate: { settings: 'note' }, score: { names: ['signal'] } },
  open: async (engine, facts) => new (await import('./notes.js')).NoteModel(engine, facts),
};
