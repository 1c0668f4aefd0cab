// SPDX-License-Identifier: MIT
// @ts-check

import { sizeInfo } from '../../media/codec.js';
import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of the types that belong to this kind: the model class (`model`), the type of a model's `info` (`info`), the types of steps and
 * results (`steps`), and all others (`others`). The manual's reference shows these types under `heading`. `ends` lists the properties of
 * the nx-end event for runs of this kind.
 */
export const TYPES = {
  heading: 'Classification',
  model: 'SignModel',
  info: 'SignInfo',
  steps: ['Classification'],
  others: ['ClassifyOptions'],
  ends: { classification: ['Classification', 'the probabilities of the labels'] },
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  classify: [
    '{} classifies characters: the SNAIL page has models of this kind.',
    'Try: draw one example of each of your characters, then one of them again.',
  ],
};

/** Models that classify pictures from a few labelled examples. @type {Kind} */
export const kind = {
  name: 'sign',
  over: ['picture', 'latent'],
  says: ({ parts }) => parts.some((part) => leaves(part, 'odds')),
  info: sizeInfo,
  verbs: { classify: { names: ['support', 'maps', 'signal'] } },
  open: async (engine) => new (await import('./signs.js')).SignModel(engine),
};
