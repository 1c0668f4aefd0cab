// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind latent for the sweeps in tests/bench (tests/kinds/bench.js documents them). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/sagan-emoji.gguf': (model, options) => model.generate(options) };
