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
  heading: 'Sounds',
  model: 'SoundModel',
  info: 'SoundInfo',
  steps: ['SoundStep'],
  others: ['SoundRun', 'SavedSound', 'SoundScore', 'SoundSource', 'Heard', 'Played', 'PlayOptions'],
  ends: SOUND,
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  sound: ['{} speaks: the page on WaveNet has models of this kind.', 'Try: choose each of its classes, and draw again with another seed.'],
};

export const OPTIONS = { sound: ['SoundOptions', 'The options for drawing audio.'] };

/** Models that draw a sound sample by sample. @type {Kind} */
export const kind = {
  name: 'sound',
  says: (_, number) => Number(number('sound.rate')) > 0,
  verbs: { complete: { settings: 'sound' }, generate: { settings: 'sound' }, score: { names: ['label', 'speaker', 'signal'] } },
  open: async (engine, facts) => new (await import('./sounds.js')).SoundModel(engine, facts),
};
