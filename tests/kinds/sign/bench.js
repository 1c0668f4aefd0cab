// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `sign` kind. tests/bench/soak.js runs these cases (see tests/kinds/bench.js). */

/** @import { Rows } from '../bench.js' */

/** Returns a picture of a stroke at this distance from the left edge. */
const stroke = (/** @type {number} */ left) => ({
  data: Uint8Array.from({ length: 28 * 28 }, (_, i) => (Math.abs((i % 28) - left) < 3 && i > 150 && i < 650 ? 0 : 255)),
  width: 28,
  height: 28,
});

/** @type {Rows['uses']} */
export const uses = {
  'weights/snail-omniglot.gguf': (model, { signal }) =>
    model.classify(stroke(9), { support: [stroke(9), stroke(20)].map((image, i) => ({ image, label: String(i) })), signal }),
};
