// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind text for the sweeps in tests/bench (tests/kinds/bench.js documents them). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = {
  'weights/de-en.gguf': (model, { signal }) => model.translate('Ein Hund schläft.', { signal, beams: 2 }),
  'tests/golden/stories260K.gguf': (model, options) => model.generate('Once', { ...options, maxTokens: 20 }),
};
