// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Kind } from '../index.js' */

export const OPTIONS = { code: ['CodeOptions', 'The options with which sounds are drawn by their codes.'] };

/** Whether there are priors. @param {import('../index.js').Fitting} model */
const draws = ({ parts }) => parts.some(({ outputs }) => outputs > 0);

/** Sounds by codes of several levels, which other parts make of sounds and sounds of. @type {Kind} */
export const kind = {
  name: 'code',
  says: ({ parts }, number) => Number(number('sound.rate')) > 0 && ['encoder', 'decoder'].every((wanted) => parts.some(({ name }) => name === wanted)),
  verbs: { complete: { settings: 'code', when: draws }, decode: {}, encode: {}, generate: { settings: 'code', when: draws } },
  open: async (engine, facts) => new (await import('./codebooks.js')).CodeModel(engine, facts),
};
