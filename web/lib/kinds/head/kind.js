// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The types of this kind: the class of its models, its steps or results, other types, and the fields of nx-end.
 */
export const TYPES = {
  model: 'HeadModel',
  info: 'HeadInfo',
  steps: ['Parse'],
  others: ['ParseOptions'],
  ends: { parse: ['Parse', 'the heads of the words'] },
};

/**
 * The demo pages that can run models of this kind. Each key is either a verb that the model must have, such as "translate", or the name of
 * the kind; the first key that fits the opened model is used. Each value has a sentence, in which {} stands for the file's name, and a
 * suggestion to try.
 */
export const PAGES = {
  parse: [
    '{} finds the heads of words: the page on structured attention shows such models.',
    'Try: give it a sentence of your own, and drag a word to another head.',
  ],
};

/** Heads of words. @type {Kind} */
export const kind = {
  name: 'head',
  says: ({ parts }) => parts.some((part) => leaves(part, 'heads')),
  verbs: { parse: { names: ['marginals', 'pinned', 'signal'] } },
  open: async (engine, facts) => new (await import('./heads.js')).HeadModel(engine, facts),
};
