// SPDX-License-Identifier: MIT
// @ts-check

import { sizeInfo } from '../../media/codec.js';
import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/** The types of this kind in the library: the class with its verbs, its steps or answers, the others; what nx-end carries. */
export const TYPES = {
  model: 'SignModel',
  info: 'SignInfo',
  steps: ['Classification'],
  others: ['ClassifyOptions'],
  ends: { classification: ['Classification', 'the probabilities of the labels'] },
};

/** Names of pictures, after examples. @type {Kind} */
export const kind = {
  name: 'sign',
  over: ['picture', 'latent'],
  says: ({ parts }) => parts.some((part) => leaves(part, 'odds')),
  info: sizeInfo,
  verbs: { classify: { names: ['support', 'maps', 'signal'] } },
  open: async (engine) => new (await import('./signs.js')).SignModel(engine),
};
