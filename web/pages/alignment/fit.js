// SPDX-License-Identifier: MIT
// Computes the batting order as attention: the players are keys, and the positions in the order are queries. This file does not use the
// DOM.
// @ts-check

/** @typedef {[number, number]} Vector speed and power, 0 to 1 */
/** @typedef {{ name: string, at: Vector }} Player */
/** @typedef {{ wants: string, query: Vector }} Place */

/** @type {Player[]} */
export const PLAYERS = [
  { name: 'Ada', at: [0.92, 0.16] },
  { name: 'Ben', at: [0.8, 0.4] },
  { name: 'Cleo', at: [0.62, 0.82] },
  { name: 'Dan', at: [0.2, 0.95] },
  { name: 'Eve', at: [0.35, 0.72] },
  { name: 'Finn', at: [0.5, 0.52] },
  { name: 'Gus', at: [0.28, 0.3] },
  { name: 'Hana', at: [0.55, 0.25] },
  { name: 'Ivo', at: [0.12, 0.42] },
];

/** @type {Place[]} */
export const PLACES = [
  { wants: 'gets away fast', query: [1, 0.1] },
  { wants: 'fast, and hits', query: [0.9, 0.45] },
  { wants: 'the best of both', query: [0.7, 0.75] },
  { wants: 'hits far', query: [0.1, 1] },
  { wants: 'hits far, too', query: [0.3, 0.95] },
  { wants: 'a bit of both', query: [0.6, 0.65] },
  { wants: 'runs a little', query: [0.8, 0.6] },
  { wants: 'hits a little', query: [0.45, 0.8] },
  { wants: 'fast, before the first player bats again', query: [1, 0.3] },
];

/** @param {Vector} a @param {Vector} b */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

/** Returns cos(a, b); 0 if either vector is zero. @param {Vector} a @param {Vector} b */
export function cosine(a, b) {
  const size = Math.hypot(...a) * Math.hypot(...b);
  return size > 0 ? dot(a, b) / size : 0;
}

/** @param {number[]} scores */
export function softmax(scores) {
  const most = Math.max(...scores);
  const e = scores.map((score) => Math.exp(score - most));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((one) => one / sum);
}

/**
 * Returns the weights of the players, one row per position.
 * @param {Vector[]} players
 * @param {number} sharpness factor by which the fit (cosine or dot product) is multiplied
 * @param {'cosine' | 'dot'} fit
 */
export const weights = (players, sharpness, fit) =>
  PLACES.map(({ query }) => softmax(players.map((at) => sharpness * (fit === 'cosine' ? cosine : dot)(query, at))));

/**
 * Returns the batting order. The positions choose in turn: each position takes the player with the largest weight among the remaining
 * players.
 *
 * @param {number[][]} rows
 */
export function order(rows) {
  /** @type {number[]} */
  const taken = [];
  for (const row of rows) taken.push(row.reduce((best, w, i) => (!taken.includes(i) && (best < 0 || w > row[best]) ? i : best), -1));
  return taken;
}

/**
 * Returns the output of a position: the average of the players' vectors, weighted by the position's attention.
 * @param {number[]} row
 * @param {Vector[]} players
 * @returns {Vector}
 */
export function mixture(row, players) {
  const part = (/** @type {0 | 1} */ k) => row.reduce((sum, w, i) => sum + w * players[i][k], 0);
  return [part(0), part(1)];
}
