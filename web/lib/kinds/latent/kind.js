// SPDX-License-Identifier: MIT
// @ts-check

import { kind as picture } from '../picture/kind.js';

/** @import { Kind } from '../index.js' */

export const OPTIONS = { latent: ['LatentOptions', 'The options with which pictures are made at once, of latents. Without a label the classes take turns.'] };

/** Pictures that are made at once, of a list of normal deviates. @type {Kind} */
export const kind = {
  name: 'latent',
  says: (facts, number) => picture.says(facts, number) && !facts.parts.some(({ outputs }) => outputs > 0),
  verbs: { generate: { settings: 'latent' }, walk: { settings: 'latent' } },
  open: async (engine) => new (await import('./latents.js')).LatentModel(engine),
};
