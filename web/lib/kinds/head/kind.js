// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The types of this kind: the class of its models (`model`), the type of `info`, the types of its steps or results (`steps`), and all other
 * types. `heading` is the heading above them in the manual's reference. `ends` lists the properties of the nx-end event for runs of this
 * kind.
 */
export const TYPES = {
  heading: 'Parses',
  model: 'HeadModel',
  info: 'HeadInfo',
  steps: ['Parse'],
  others: ['ParseOptions'],
  ends: { parse: ['Parse', 'the heads of the words'] },
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or a verb that the model must have, such as "translate". The
 * first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is replaced by the
 * file's name, and a suggestion of what to try.
 */
export const PAGES = {
  parse: [
    '{} finds the heads of words: the page on structured attention has models of this kind.',
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
