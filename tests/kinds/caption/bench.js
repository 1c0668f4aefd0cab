// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `caption` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

const pixels = () => ({ data: new Uint8Array(3 * 64 * 64).fill(200), width: 64, height: 64 });

/** @type {Rows['uses']} */
export const uses = { 'weights/captions.gguf': (model, { signal }) => model.caption(pixels(), { signal, maps: true }) };
