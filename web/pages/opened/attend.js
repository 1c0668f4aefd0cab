// SPDX-License-Identifier: MIT
// Computes the attention of a query over keys and values, all of which are vectors in the plane. This file does not use the DOM.
// @ts-check

/** @typedef {[number, number]} Vector */

/** @param {Vector} a @param {Vector} b */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

/**
 * softmax(q K^T / sqrt(2)) V
 *
 * @param {Vector} q
 * @param {Vector[]} keys
 * @param {Vector[]} values
 * @returns {{ scores: number[], weights: number[], sum: Vector }}
 */
export function attend(q, keys, values) {
  const scores = keys.map((key) => dot(q, key));
  const powers = scores.map((score) => Math.exp((score - Math.max(...scores)) / Math.SQRT2));
  const weights = powers.map((power) => power / powers.reduce((a, b) => a + b, 0));
  const sum = /** @type {Vector} */ ([0, 1].map((i) => weights.reduce((total, weight, j) => total + weight * values[j][i], 0)));
  return { scores, weights, sum };
}
