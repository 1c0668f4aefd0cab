// SPDX-License-Identifier: MIT
// @ts-check

import { leaves } from '../ports.js';

/** @import { Kind } from '../index.js' */

/** Parents of words. @type {Kind} */
export const kind = {
  name: 'head',
  says: ({ parts }) => parts.some((part) => leaves(part, 'heads')),
  verbs: { parse: {} },
  open: async (engine, facts) => new (await import('./heads.js')).HeadModel(engine, facts),
};
