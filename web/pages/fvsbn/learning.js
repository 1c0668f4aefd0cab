// SPDX-License-Identifier: MIT
// A fully visible sigmoid belief network that learns: 784 logistic regressions, by the sums that the engine draws with. No page in here.
// @ts-check

/** Pixels of a picture, and pixels of a row. */
const N = 784;

/** @typedef {{ weight: Float32Array, bias: Float32Array }} Network weight[j * N + i] is what pixel j, if it is ink, adds to the logit of pixel i, for j < i */

/** One that knows nothing: every pixel is a coin. @returns {Network} */
export const blankNetwork = () => ({ weight: new Float32Array(N * N), bias: new Float32Array(N) });

/** The logits of all pixels of a picture: the bias, and the row of every pixel before that is ink. @param {Network} network @param {Uint8Array} ink of 0 and 1 */
export function logitsOf({ weight, bias }, ink) {
  const a = Float32Array.from(bias);
  for (let j = 0; j < N; j++) {
    if (!ink[j]) continue;
    for (let i = j + 1, at = j * N; i < N; i++) a[i] += weight[at + i];
  }
  return a;
}

/** -ln p(x) of a pixel with the logit a: softplus(a) - a x, without overflow. @param {number} a @param {number} x */
const cost = (a, x) => Math.max(a, 0) - a * x + Math.log1p(Math.exp(-Math.abs(a)));

/** Nats of a picture. @param {Network} network @param {Uint8Array} ink */
export const natsOf = (network, ink) => logitsOf(network, ink).reduce((sum, a, i) => sum + cost(a, ink[i]), 0);

/**
 * One step of gradient descent on one picture: the bias of pixel i, and the votes on it of every pixel before that is ink, move by rate (x_i - p_i).
 *
 * @param {Network} network changed
 * @param {Uint8Array} ink
 * @param {number} rate
 * @returns {number} nats before the step
 */
export function learn(network, ink, rate) {
  const { weight, bias } = network;
  const a = logitsOf(network, ink);
  const step = new Float32Array(N);
  let nats = 0;
  for (let i = 0; i < N; i++) {
    nats += cost(a[i], ink[i]);
    step[i] = rate * (ink[i] - 1 / (1 + Math.exp(-a[i])));
    bias[i] += step[i];
  }
  for (let j = 0; j < N; j++) {
    if (!ink[j]) continue;
    for (let i = j + 1, at = j * N; i < N; i++) weight[at + i] += step[i];
  }
  return nats;
}

/** A picture drawn from the network. @param {Network} network @param {() => number} random in 0..1 @returns {Uint8Array} of 0 and 1 */
export function drawFrom({ weight, bias }, random) {
  const a = Float32Array.from(bias);
  const ink = new Uint8Array(N);
  for (let i = 0; i < N; i++) {
    if (random() >= 1 / (1 + Math.exp(-a[i]))) continue;
    ink[i] = 1;
    for (let k = i + 1, at = i * N; k < N; k++) a[k] += weight[at + k];
  }
  return ink;
}
