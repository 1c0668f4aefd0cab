// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/** The types of this kind in the library: the class with its verbs, its steps or answers, the others; what nx-end carries. */
export const TYPES = {
  model: 'TagModel',
  info: 'TagInfo',
  steps: ['Tagging'],
  others: ['TagOptions'],
  ends: { tagging: ['Tagging', 'the tags of the words'] },
};

/** Tags of words. @type {Kind} */
export const kind = {
  name: 'tag',
  says: ({ parts }) => parts.some((part) => leaves(part, 'tags')),
  verbs: { tag: { names: ['marginals', 'pinned', 'signal'] } },
  open: async (engine, facts) => new (await import('./tags.js')).TagModel(engine, facts),
};
