// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Kind } from '../index.js' */

export const OPTIONS = { sound: ['SoundOptions', 'The options with which sounds are drawn.'] };

/** Sounds, sample by sample. @type {Kind} */
export const kind = {
  name: 'sound',
  says: (_, number) => Number(number('sound.rate')) > 0,
  verbs: { complete: { settings: 'sound' }, generate: { settings: 'sound' }, score: {} },
  open: async (engine, facts) => new (await import('./sounds.js')).SoundModel(engine, facts),
};
