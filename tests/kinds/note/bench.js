// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `note` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/chorales.gguf': (model, options) => model.generate({ ...options, bars: 1 }) };
