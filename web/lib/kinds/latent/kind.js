// SPDX-License-Identifier: MIT
// @ts-check

import { sizeInfo } from '../../media/codec.js';
import { hasPictures } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of the types that belong to this kind: the model class (`model`), the type of a model's `info` (`info`), the types of steps and
 * results (`steps`), and all others (`others`). The manual's reference shows these types under `heading`.
 */
export const TYPES = {
  heading: 'Pictures in one pass',
  model: 'LatentModel',
  info: 'LatentInfo',
  steps: ['LatentStep'],
  others: ['LatentRun', 'WalkOptions'],
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  walk: [
    '{} makes whole pictures in one pass: the page on SAGAN has models of this kind.',
    'Try: choose each of its classes, and walk from one picture to another.',
  ],
};

export const OPTIONS = {
  latent: [
    'LatentOptions',
    'The options for drawing pictures in one pass from latents. Without a label, the samples alternate between the classes.',
  ],
};

/** Models that draw a picture in one pass from a list of standard normal numbers. @type {Kind} */
export const kind = {
  name: 'latent',
  over: ['picture'],
  says: (facts, number) => hasPictures(facts, number) && !facts.parts.some(({ outputs }) => outputs > 0),
  info: sizeInfo,
  verbs: { generate: { settings: 'latent' }, walk: { names: ['steps', 'shape', 'label', 'maps', 'signal'] } },
  open: async (engine) => new (await import('./latents.js')).LatentModel(engine),
};
