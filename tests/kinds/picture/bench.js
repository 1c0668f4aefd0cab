// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `picture` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = {
  'weights/digits.gguf': (model, options) => model.generate(options),
  'weights/fvsbn.gguf': (model, options) => model.generate(options),
  'weights/gated-pixelcnn-digits.gguf': (model, options) => model.generate({ ...options, samples: 2 }),
};
