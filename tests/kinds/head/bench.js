// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `head` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/parents-en.gguf': (model, { signal }) => model.parse('I saw her with a telescope.', { signal }) };
