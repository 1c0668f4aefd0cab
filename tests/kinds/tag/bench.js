// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `tag` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/crf-en.gguf': (model, { signal }) => model.tag('The old man the boats.', { signal }) };
