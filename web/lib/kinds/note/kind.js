// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Kind } from '../index.js' */

export const OPTIONS = { note: ['NoteOptions', 'The options with which music is drawn.'] };

/** Music, note by note. @type {Kind} */
export const kind = {
  name: 'note',
  says: (_, number) => Number(number('notes.ticks')) > 0,
  verbs: { complete: { settings: 'note' }, generate: { settings: 'note' }, score: {} },
  open: async (engine, facts) => new (await import('./notes.js')).NoteModel(engine, facts),
};
