// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind head for the sweeps in tests/bench (tests/kinds/bench.js documents them). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/parents-en.gguf': (model, { signal }) => model.parse('I saw her with a telescope.', { signal }) };
