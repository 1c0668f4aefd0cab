// SPDX-License-Identifier: MIT
// @ts-check

import { sizeInfo } from '../../media/codec.js';
import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of this kind's types: the class of its models, its `info`, its steps or results, and other types; also the properties of the
 * nx-end event that this kind defines.
 */
export const TYPES = {
  model: 'SignModel',
  info: 'SignInfo',
  steps: ['Classification'],
  others: ['ClassifyOptions'],
  ends: { classification: ['Classification', 'the probabilities of the labels'] },
};

/**
 * The demo pages that show models of this kind. A key is a verb that the model must have, such as "translate", or the name of the kind;
 * the first key that fits the opened model is used. A value is a pair: a sentence about the page, in which {} stands for the file's name,
 * and a suggestion of what to try.
 */
export const PAGES = {
  classify: [
    '{} classifies characters: the SNAIL page shows such models.',
    'Try: draw one example of each of your characters, then one of them again.',
  ],
};

/** Models that classify pictures by examples. @type {Kind} */
export const kind = {
  name: 'sign',
  over: ['picture', 'latent'],
  says: ({ parts }) => parts.some((part) => leaves(part, 'odds')),
  info: sizeInfo,
  verbs: { classify: { names: ['support', 'maps', 'signal'] } },
  open: async (engine) => new (await import('./signs.js')).SignModel(engine),
};
