// SPDX-License-Identifier: MIT
// @ts-check

import { SOUND } from '../ends.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of this kind's types: the class of its models, its `info`, its steps or results, and other types; also the properties of the
 * nx-end event that this kind defines.
 */
export const TYPES = {
  model: 'NoteModel',
  info: 'NoteInfo',
  steps: ['NoteStep'],
  others: ['NoteRun', 'SavedNote', 'NoteScore', 'MusicSource', 'Note'],
  ends: { ...SOUND, notes: ['Note[]', 'for music: the notes, including the given ones'] },
};

/**
 * The demo pages that show models of this kind. A key is a verb that the model must have, such as "translate", or the name of the kind;
 * the first key that fits the opened model is used. A value is a pair: a sentence about the page, in which {} stands for the file's name,
 * and a suggestion of what to try.
 */
export const PAGES = {
  note: [
    '{} makes music: the page of chorales shows such models.',
    'Try: draw a piece, then give it the first bars of one of your own MIDI files.',
  ],
};

export const OPTIONS = { note: ['NoteOptions', 'The options of music.'] };

/** Models that draw music note by note. @type {Kind} */
export const kind = {
  name: 'note',
  says: (_, number) => Number(number('notes.ticks')) > 0,
  verbs: { complete: { settings: 'note', names: ['voices'] }, generate: { settings: 'note' }, score: { names: ['signal'] } },
  open: async (engine, facts) => new (await import('./notes.js')).NoteModel(engine, facts),
};
