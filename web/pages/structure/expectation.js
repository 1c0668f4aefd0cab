// SPDX-License-Identifier: MIT
// Computes the probabilities of all sixteen selections of characters in a chain of four. Each character is either selected (attended to) or
// not. This file does not use the DOM.
// @ts-check
import { marginals } from './bits.js';

export const LETTERS = 4;
export const WAYS = 2 ** LETTERS;
/** Returns 1 if selection z attends to character i, otherwise 0. @param {number} z @param {number} i */
export const bit = (z, i) => (z >> (LETTERS - 1 - i)) & 1;

/**
 * Returns the log weight of each selection: the sum of the scores of the characters it attends to, plus `stick` for each pair of equal
 * neighbours.
 *
 * @param {number[]} scores
 * @param {number} stick
 */
export function exponents(scores, stick) {
  return Array.from({ length: WAYS }, (_, z) =>
    scores.reduce((sum, one, i) => sum + bit(z, i) * one + (i > 0 && bit(z, i) === bit(z, i - 1) ? stick : 0), 0),
  );
}

/**
 * Returns p(z) of the enabled selections, and the weight of each character. A character's weight is the sum of p(z) over the selections
 * that attend to it.
 *
 * @param {number[]} scores
 * @param {number} stick
 * @param {boolean[]} among
 */
export function expectation(scores, stick, among) {
  const weights = exponents(scores, stick).map((one, z) => (among[z] ? Math.exp(one) : 0));
  const Z = weights.reduce((sum, one) => sum + one, 0);
  const p = weights.map((one) => (Z > 0 ? one / Z : 0));
  return { Z, p, looks: scores.map((_, i) => p.reduce((sum, one, z) => sum + bit(z, i) * one, 0)) };
}

/**
 * Computes the weights of the characters with the forward-backward algorithm, without listing the sixteen selections.
 * @param {number[]} scores
 * @param {number} stick
 */
export const byChain = (scores, stick) =>
  marginals(scores, [
    [stick, 0],
    [0, stick],
  ]);

/** @param {number[]} scores */
export function bySoftmax(scores) {
  const weights = scores.map(Math.exp);
  const sum = weights.reduce((all, one) => all + one, 0);
  return weights.map((one) => one / sum);
}
