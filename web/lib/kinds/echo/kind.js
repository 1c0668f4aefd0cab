// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Kind } from '../index.js' */

/** Sounds that come back. @type {Kind} */
export const kind = {
  name: 'echo',
  says: (_, number) => Number(number('echo')) > 0,
  verbs: { score: {} },
  open: async (engine) => new (await import('./echoes.js')).EchoModel(engine),
};
