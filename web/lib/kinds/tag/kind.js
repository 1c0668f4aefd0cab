// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of the types that belong to this kind: the model class (`model`), the type of a model's `info` (`info`), the types of steps and
 * results (`steps`), and all others (`others`). The manual's reference shows these types under `heading`. `ends` lists the properties of
 * the nx-end event for runs of this kind.
 */
export const TYPES = {
  heading: 'Tags',
  model: 'TagModel',
  info: 'TagInfo',
  steps: ['Tagging'],
  others: ['TagOptions'],
  ends: { tagging: ['Tagging', 'the tags of the words'] },
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  tag: ['{} tags words: the page on chains has models of this kind.', 'Try: give it a sentence of your own, and pin a tag that is wrong.'],
};

/** Models that tag the words of a text. @type {Kind} */
export const kind = {
  name: 'tag',
  says: ({ parts }) => parts.some((part) => leaves(part, 'tags')),
  verbs: { tag: { names: ['marginals', 'pinned', 'signal'] } },
  open: async (engine, facts) => new (await import('./tags.js')).TagModel(engine, facts),
};
