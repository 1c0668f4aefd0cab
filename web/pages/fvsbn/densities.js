// SPDX-License-Identifier: MIT
// Computes the loss (the surprisal, in nats) of each shade from 0 to 255 under four distributions: Bernoulli, categorical, Gaussian and
// logistic. The functions are pure and do not use the DOM.
// @ts-check

export const SHADES = 256;
/** Number of shades in the categorical distribution. The Image Transformer for digits has the same number of shades. */
const LISTED = 16;
/** The categorical distribution here has two peaks, at shades x and 255 - x. The second peak has this fraction of the probability. */
const SECOND = 0.25;

/** @typedef {{ mean: number, width: number }} Expected mean and width in shades */
/** @typedef {(x: number) => number} Nats returns the surprisal of shade x */

/** 1 / (1 + e^-z) @param {number} z */
const sigmoid = (z) => 1 / (1 + Math.exp(-z));

/**
 * Returns the loss under a Bernoulli distribution. Shades from 128 on count as ink, lower shades as paper.
 *
 * @param {Expected} expected
 * @returns {Nats}
 */
export function bernoulli({ mean }) {
  const ink = Math.min(0.999, Math.max(0.001, mean / (SHADES - 1)));
  return (x) => -Math.log(x >= SHADES / 2 ? ink : 1 - ink);
}

/**
 * Returns the loss under a categorical distribution of sixteen probabilities, with two peaks.
 *
 * @param {Expected} expected
 * @returns {Nats}
 */
export function categorical({ mean, width }) {
  const per = SHADES / LISTED;
  const peak = (/** @type {number} */ centre) => {
    const all = Array.from({ length: LISTED }, (_, k) => Math.exp(-0.5 * (((k + 0.5) * per - centre) / (width + per / 2)) ** 2) + 1e-4);
    const sum = all.reduce((a, b) => a + b, 0);
    return all.map((share) => share / sum);
  };
  const [first, second] = [peak(mean), peak(SHADES - 1 - mean)];
  return (x) => {
    const k = Math.floor(x / per);
    return -Math.log((1 - SECOND) * first[k] + SECOND * second[k]);
  };
}

/**
 * Returns the loss under a Gaussian. p is the density at x: -ln p = (x - mean)^2 / 2 width^2 + ln(width sqrt(2 pi)).
 * @param {Expected} expected
 * @returns {Nats}
 */
export const gaussian =
  ({ mean, width }) =>
  (x) =>
    0.5 * ((x - mean) / width) ** 2 + Math.log(width * Math.sqrt(2 * Math.PI));

/**
 * Returns the loss under a logistic distribution. The probability of a shade is the difference of two sigmoids. The first and the last
 * shade also get the probability that lies outside the range of shades.
 * @param {Expected} expected @returns {Nats}
 */
export function logistic({ mean, width }) {
  const scale = (width * Math.sqrt(3)) / Math.PI; // with this scale, the standard deviation is `width`
  return (x) => {
    const [above, below] = [(x + 0.5 - mean) / scale, (x - 0.5 - mean) / scale];
    if (x === 0) return Math.log1p(Math.exp(-above));
    if (x === SHADES - 1) return Math.log1p(Math.exp(below));
    // Far from the mean, the difference of the sigmoids is too small to be computed accurately. There, the density at the middle of the
    // shade is a good enough approximation.
    const share = x > mean ? sigmoid(-below) - sigmoid(-above) : sigmoid(above) - sigmoid(below);
    const z = Math.abs(x - mean) / scale;
    return share > 1e-12 ? -Math.log(share) : z + Math.log(scale) + 2 * Math.log1p(Math.exp(-z));
  };
}
