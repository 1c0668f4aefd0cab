// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `latent` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/sagan-emoji.gguf': (model, options) => model.generate(options) };
