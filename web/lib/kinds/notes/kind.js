// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Kind } from '../index.js' */

export const OPTIONS = { notes: ['NotesOptions', 'The options with which music is drawn.'] };

/** Music, note by note. @type {Kind} */
export const kind = {
  name: 'notes',
  says: (_, number) => Number(number('notes.ticks')) > 0,
  verbs: { complete: { settings: 'notes' }, generate: { settings: 'notes' }, score: {} },
  open: async (engine, facts) => new (await import('./notes.js')).NoteModel(engine, facts),
};
