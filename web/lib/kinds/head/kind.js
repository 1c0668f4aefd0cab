// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of this kind's types: the class of its models, its `info`, its steps or results, and other types; also the properties of the
 * nx-end event that this kind defines.
 */
export const TYPES = {
  model: 'HeadModel',
  info: 'HeadInfo',
  steps: ['Parse'],
  others: ['ParseOptions'],
  ends: { parse: ['Parse', 'the heads of the words'] },
};

/**
 * The demo pages that show models of this kind. A key is a verb that the model must have, such as "translate", or the name of the kind;
 * the first key that fits the opened model is used. A value is a pair: a sentence about the page, in which {} stands for the file's name,
 * and a suggestion of what to try.
 */
export const PAGES = {
  parse: [
    '{} finds the heads of words: the page on structured attention shows such models.',
    'Try: give it a sentence of your own, and drag a word to another head.',
  ],
};

/** Models that find the heads of words. @type {Kind} */
export const kind = {
  name: 'head',
  says: ({ parts }) => parts.some((part) => leaves(part, 'heads')),
  verbs: { parse: { names: ['marginals', 'pinned', 'signal'] } },
  open: async (engine, facts) => new (await import('./heads.js')).HeadModel(engine, facts),
};
