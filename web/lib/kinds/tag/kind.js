// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The types of this kind: the class of its models, its steps or results, other types, and the fields of nx-end.
 */
export const TYPES = {
  model: 'TagModel',
  info: 'TagInfo',
  steps: ['Tagging'],
  others: ['TagOptions'],
  ends: { tagging: ['Tagging', 'the tags of the words'] },
};

/**
 * The demo pages that can run models of this kind. Each key is either a verb that the model must have, such as "translate", or the name of
 * the kind; the first key that fits the opened model is used. Each value has a sentence, in which {} stands for the file's name, and a
 * suggestion to try.
 */
export const PAGES = {
  tag: ['{} tags words: the page of chains shows such models.', 'Try: give it a sentence of your own, and pin a tag that is wrong.'],
};

/** Tags of words. @type {Kind} */
export const kind = {
  name: 'tag',
  says: ({ parts }) => parts.some((part) => leaves(part, 'tags')),
  verbs: { tag: { names: ['marginals', 'pinned', 'signal'] } },
  open: async (engine, facts) => new (await import('./tags.js')).TagModel(engine, facts),
};
