// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind picture for the sweeps in tests/bench (tests/kinds/bench.js documents them). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = {
  'weights/digits.gguf': (model, options) => model.generate(options),
  'weights/fvsbn.gguf': (model, options) => model.generate(options),
  'weights/gated-pixelcnn-digits.gguf': (model, options) => model.generate({ ...options, samples: 2 }),
};
