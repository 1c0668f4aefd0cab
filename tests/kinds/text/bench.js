// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `text` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = {
  'weights/de-en.gguf': (model, { signal }) => model.translate('Ein Hund schläft.', { signal, beams: 2 }),
  'tests/golden/stories260K.gguf': (model, options) => model.generate('Once', { ...options, maxTokens: 20 }),
};
