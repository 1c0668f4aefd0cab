// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/** Names of pictures, after examples. @type {Kind} */
export const kind = {
  name: 'sign',
  says: ({ parts }) => parts.some((part) => leaves(part, 'odds')),
  verbs: { classify: {} },
  open: async (engine) => new (await import('./signs.js')).SignModel(engine),
};
