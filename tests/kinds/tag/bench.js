// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind tag for the sweeps in tests/bench (tests/kinds/bench.js documents them). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/crf-en.gguf': (model, { signal }) => model.tag('The old man the boats.', { signal }) };
