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
  heading: 'Sound codes',
  model: 'CodeModel',
  info: 'CodeInfo',
  steps: ['CodeStep'],
  others: ['CodeRun', 'SavedCode', 'Codes', 'Encoded', 'CodeLevel'],
  ends: SOUND,
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  encode: [
    '{} turns sounds into codes: the page on the VQ-VAE has models of this kind.',
    'Try: record or choose a sound, and compare it with the sound decoded from its codes.',
  ],
};

export const OPTIONS = { code: ['CodeOptions', 'The options for drawing sounds as codes.'] };

/** Returns whether the model has priors and can therefore draw. @param {import('../index.js').Fitting} model */
const draws = ({ parts }) => parts.some(({ outputs }) => outputs > 0);

/** Models that represent audio as codes of several levels. Separate parts of the model encode and decode the codes. @type {Kind} */
export const kind = {
  name: 'code',
  over: ['sound'],
  says: ({ parts }, number) =>
    Number(number('sound.rate')) > 0 && ['encoder', 'decoder'].every((wanted) => parts.some(({ name }) => name === wanted)),
  verbs: {
    complete: { settings: 'code', when: draws },
    decode: { names: ['signal'] },
    encode: { names: ['signal'] },
    generate: { settings: 'code', when: draws },
  },
  open: async (engine, facts) => new (await import('./codebooks.js')).CodeModel(engine, facts),
};
