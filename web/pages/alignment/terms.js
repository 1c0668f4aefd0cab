// SPDX-License-Identifier: MIT
// Formats two equations as text: the softmax that gives an attention weight, and the weighted sum that a row of weights gives. This file
// does not use the DOM.
// @ts-check
import { phrase } from '../../shell/page/phrase.js';

/** A sum leaves out terms whose weight is below this value. */
const LEAST = 0.05;
/** Number of terms that are written out in the denominator of a softmax. */
const TERMS = 3;

/** @param {number} x */
const two = (x) => x.toFixed(2).replace('-', '−');

/** Formats an index in subscript digits. @param {number} n */
export const below = (n) => String(n).replace(/\d/g, (d) => '₀₁₂₃₄₅₆₇₈₉'[Number(d)]);

/**
 * Returns the centre of local attention; the centre may lie between two words.
 *
 * @param {ArrayLike<number>} weights weights of the "centre" map
 */
export const centreOf = (weights) => Array.from(weights).reduce((sum, w, i) => sum + w * i, 0);

/**
 * Returns the window of local attention around a centre.
 * @param {number} centre
 * @param {number} D half-width of the window in words
 * @param {number} words
 */
export function windowOf(centre, D, words) {
  const middle = Math.min(Math.floor(centre + 1e-4), words - 1); // the offset compensates for rounding errors in the weights
  return { from: Math.max(0, middle - D), to: Math.min(words, middle + D + 1), centre };
}

/** exp(-(i - centre)^2 / (2 (D/2)^2)) @param {number} i @param {number} centre @param {number} D */
export const bell = (i, centre, D) => Math.exp(-2 * ((i - centre) / D) ** 2);

/**
 * Formats the equation for the attention weight of word i. The scores are known only up to a common constant, so the best word is given the
 * score 0.
 * @param {ArrayLike<number>} weights
 * @param {number} i
 * @param {{ centre: number, D: number }} [local] for local attention: the parameters of the Gaussian factor
 */
export function cellTerms(weights, i, local) {
  const shares = Array.from(weights, (w, k) => (local ? w / bell(k, local.centre, local.D) : w));
  const inside = shares
    .map((share, k) => ({ share, k }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
  if (!(weights[i] > 0)) return phrase`outside the window: 0`;
  const score = (/** @type {number} */ k) => Math.log(shares[k] / inside[0].share);
  const power = (/** @type {number} */ k) => `e^${two(score(k)).replace(/^−0\.00$/, '0.00')}`;
  const under =
    inside
      .slice(0, TERMS)
      .map(({ k }) => power(k))
      .join(' + ') + (inside.length > TERMS ? ' + …' : '');
  const softmax = `${power(i)} / (${under})`;
  if (!local) return `${softmax} = ${two(weights[i])}`;
  return `${softmax} · e^(−(${i + 1} − ${two(local.centre + 1)})² / 2σ²) = ${two(shares[i])} · ${two(bell(i, local.centre, local.D))} = ${two(weights[i])}, σ = ${local.D / 2}`;
}

/**
 * Formats a sum such as c_t = 0.10 h_1 + 0.75 h_2 + 0.15 h_3, followed by the words of its largest terms.
 * @param {ArrayLike<number>} weights
 * @param {string[]} words
 * @param {number} t index of the output word, starting at 1
 */
export function rowSum(weights, words, t) {
  const parts = Array.from(weights, (w, i) => ({ w, i })).filter(({ w }) => w >= LEAST);
  const rest = Array.from(weights).some((w) => w > 0 && w < LEAST);
  return `c${below(t)} = ${parts.map(({ w, i }) => `${two(w)} h${below(i + 1)}`).join(' + ') || '0'}${rest ? ' + …' : ''}${parts.length > 0 ? `   (${parts.map(({ i }) => `h${below(i + 1)} ${words[i]}`).join(', ')})` : ''}`;
}
