// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind sound for the sweeps in tests/bench (tests/kinds/bench.js documents them). */

/** @import { Rows } from '../bench.js' */

/** @type {Rows['uses']} */
export const uses = { 'weights/wavenet.gguf': (model, options) => model.generate({ ...options, seconds: 0.05 }) };
