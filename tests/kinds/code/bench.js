// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `code` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/jukebox-small.gguf': (model, options) => model.generate({ ...options, seconds: 0.2 }) };
