// SPDX-License-Identifier: MIT
// Trains a fully visible sigmoid belief network by plain stochastic gradient descent, one picture at a time. This file does not use the
// DOM.
//
//   p(x_i = 1 | x_<i) = sigma(a_i),   a_i = b_i + sum over j < i of W_ij x_j
//
// The sums a_i are computed as in the engine (src/models/fvsbn.c): weight[j * n + i] = W_ij, and each ink pixel j adds its row of weights
// to the sums of the pixels after it. The gradient of log p(x) is x_i - sigma(a_i) with respect to b_i, and (x_i - sigma(a_i)) x_j with
// respect to W_ij. So each pixel's logistic regression is trained independently of the others, and only the rows of W that belong to ink
// pixels change.
// @ts-check

/**
 * @typedef {{ weight: Float32Array, bias: Float32Array }} Weights weight[j * n + i]: if pixel j is ink, it adds this value to the sum of
 *   pixel i; nonzero only for i > j
 */

/** Returns an untrained network: every pixel is ink with probability one half. @param {number} n pixels @returns {Weights} */
export const nothingLearnt = (n) => ({ weight: new Float32Array(n * n), bias: new Float32Array(n) });

/** @param {number} a */
const sigmoid = (a) => 1 / (1 + Math.exp(-a));
/** Returns log sigma(a) without overflow. @param {number} a */
const logSigmoid = (a) => Math.min(a, 0) - Math.log1p(Math.exp(-Math.abs(a)));

/**
 * Adds pixel j's row of weights to the sums of the pixels after j.
 *
 * @param {Float64Array} sums
 * @param {Float32Array} weight
 * @param {number} j
 */
function addRow(sums, weight, j) {
  const n = sums.length;
  for (let i = j + 1, at = j * n + i; i < n; i++, at++) sums[i] += weight[at];
}

/**
 * Returns the sums a_i of all pixels of a picture.
 * @param {Weights} weights
 * @param {Uint8Array} picture n pixels, 1 = ink
 */
function sumsOf({ weight, bias }, picture) {
  const sums = Float64Array.from(bias);
  for (let j = 0; j < picture.length; j++) if (picture[j]) addRow(sums, weight, j);
  return sums;
}

/** @param {Float64Array} sums @param {Uint8Array} picture */
const surprise = (sums, picture) => sums.reduce((nats, a, i) => nats - logSigmoid(picture[i] ? a : -a), 0);

/**
 * Returns -log p(picture), in nats.
 * @param {Weights} weights
 * @param {Uint8Array} picture n pixels, 1 = ink
 */
export const natsOf = (weights, picture) => surprise(sumsOf(weights, picture), picture);

/**
 * Takes one step along the gradient of log p(picture), and changes the weights in place.
 * @param {Weights} weights
 * @param {Uint8Array} picture n pixels, 1 = ink
 * @param {number} rate learning rate, above 0
 * @returns {number} surprisal of the picture before this step, in nats
 */
export function learn(weights, picture, rate) {
  const { weight, bias } = weights;
  const n = picture.length;
  const sums = sumsOf(weights, picture);
  const nats = surprise(sums, picture);
  const steps = sums.map((a, i) => rate * (picture[i] - sigmoid(a)));
  for (let i = 0; i < n; i++) bias[i] += steps[i];
  for (let j = 0; j < n; j++) {
    if (!picture[j]) continue;
    for (let i = j + 1, at = j * n + i; i < n; i++, at++) weight[at] += steps[i];
  }
  return nats;
}

/**
 * Samples a picture. Draws the pixels in raster order, each by a biased coin flip.
 * @param {Weights} weights
 * @param {() => number} random returns uniformly distributed numbers in [0, 1)
 * @returns {Uint8Array} n pixels, 1 = ink
 */
export function sample({ weight, bias }, random) {
  const sums = Float64Array.from(bias);
  const picture = new Uint8Array(sums.length);
  for (let i = 0; i < picture.length; i++) {
    if (random() >= sigmoid(sums[i])) continue;
    picture[i] = 1;
    addRow(sums, weight, i);
  }
  return picture;
}
