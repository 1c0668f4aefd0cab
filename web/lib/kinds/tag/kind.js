// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/** Tags of words. @type {Kind} */
export const kind = {
  name: 'tag',
  says: ({ parts }) => parts.some((part) => leaves(part, 'tags')),
  verbs: { tag: {} },
  open: async (engine, facts) => new (await import('./tags.js')).TagModel(engine, facts),
};
