// SPDX-License-Identifier: MIT
// Defines the sampling filters as plain functions. The functions compute which of the most probable tokens remain, and how many tokens each
// filter keeps. The library applies the same filters to all tokens before it samples a token. This page repeats the library's computation
// to show the effect of each filter.
// @ts-check
/** @import { Alternative } from '../../shell/index.js' */

/** @typedef {{ temperature: number, topK: number, topP: number, minP: number }} Filters */

/** Settings without any filter: every token keeps the model's probability. @type {Readonly<Filters>} */
export const OPEN = Object.freeze({ temperature: 1, topK: 0, topP: 1, minP: 0 });

/**
 * @typedef {Object} Cut
 * @property {number[]} odds probability of each token under the model
 * @property {number[]} drawn probability of each token after the filters and the temperature; 0 if a filter removed the token
 * @property {number} kept number of tokens that remain
 * @property {{ topK: number, topP: number, minP: number }} ends number of tokens that each filter keeps
 * @property {number} threshold smallest probability that passes min-p
 */

/**
 * Applies the filters in the library's order: top-k, top-p, min-p, then the temperature.
 * @param {Alternative[]} tokens the most probable tokens, in order
 * @param {Filters} filters
 * @returns {Cut}
 */
export function cut(tokens, { temperature, topK, topP, minP }) {
  const odds = tokens.map(({ nats }) => Math.exp(-nats));
  const ends = { topK: topK || Infinity, topP: Infinity, minP: Infinity };
  let kept = Math.min(odds.length, ends.topK);
  if (topP < 1) {
    // Top-p measures fractions of the total probability of the tokens that top-k keeps.
    const mass = ends.topK < odds.length ? odds.slice(0, kept).reduce((sum, p) => sum + p, 0) : 1;
    let sum = 0;
    ends.topP = odds.findIndex((p) => (sum += p / mass) >= topP) + 1 || Infinity;
    kept = Math.min(kept, ends.topP);
  }
  const threshold = minP * (odds[0] ?? 0);
  if (minP > 0) {
    ends.minP = odds.findIndex((p) => p < threshold);
    if (ends.minP < 0) ends.minP = Infinity;
    kept = Math.min(kept, ends.minP);
  }
  kept = Math.max(1, kept);
  // p^(1/T), scaled so that it cannot overflow. At temperature 0, the first token gets probability 1.
  const weights = odds.map((p, i) =>
    i >= kept ? 0 : temperature === 0 ? Number(i === 0) : Math.exp((Math.log(p) - Math.log(odds[0])) / temperature),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { odds, drawn: weights.map((weight) => weight / total), kept, ends, threshold };
}
