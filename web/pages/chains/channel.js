// SPDX-License-Identifier: MIT
// Samples words for the experiment of Lafferty, McCallum and Pereira, and trains a MEMM and a CRF on these words. This file does not
// use the DOM.
// @ts-check
import { randomFrom } from '../../shell/run/random.js';

export const LETTERS = ['r', 'i', 'o', 'b'];
/** The states of the two paths after the initial state 0. The path 0-1-2-3 writes rib, and the path 0-4-5-3 writes rob. */
const PATHS = [
  [1, 2, 3],
  [4, 5, 3],
];
const DRAWN = ['rib', 'rob'];
export const [TRAIN, TEST] = [2000, 500];
/** The channel keeps a letter with probability 29/32 and changes it to each of the three other letters with probability 1/32. */
const NOISE = 1 / 32;
const RATE = 2;

/**
 * Samples words of three letters and counts them by word and by the path that generated them. The result has shape (64, 2).
 * @param {number} count
 * @param {number} seed
 */
export function words(count, seed) {
  const next = randomFrom(seed);
  const table = Array.from({ length: 64 }, () => [0, 0]);
  for (let i = 0; i < count; i++) {
    const path = next() < 0.5 ? 0 : 1;
    let code = 0;
    for (let t = 0; t < 3; t++) {
      const clean = LETTERS.indexOf(DRAWN[path][t]);
      const u = next();
      const noisy = Math.floor(u / NOISE);
      const letter = u < 3 * NOISE ? (clean + 1 + noisy) % 4 : clean;
      code = 4 * code + letter;
    }
    table[code][path]++;
  }
  return table;
}

const letterOf = (/** @type {number} */ code, /** @type {number} */ t) => (code >> (2 * (2 - t))) & 3;

/** Returns weights g[state][letter], all zero. Each weight is the score of a step that reads the letter and leads to the state. */
export const zeros = () => Array.from({ length: 6 }, () => [0, 0, 0, 0]);

/** Returns the score of a path. @param {number[][]} g @param {number} code @param {number} path */
const score = (g, code, path) => PATHS[path].reduce((sum, state, t) => sum + g[state][letterOf(code, t)], 0);

/** Returns p(second path | word). @param {'MEMM' | 'CRF'} kind @param {number[][]} g @param {number} code */
export function second(kind, g, code) {
  // The MEMM normalises each step separately. Only state 0 has two successors, so only the first step affects the probability. All other
  // steps have probability 1.
  const [a, b] = kind === 'MEMM' ? PATHS.map(([state]) => g[state][letterOf(code, 0)]) : [score(g, code, 0), score(g, code, 1)];
  return 1 / (1 + Math.exp(a - b));
}

/** Performs one gradient step on the mean log likelihood. @param {'MEMM' | 'CRF'} kind @param {number[][]} g @param {number[][]} table */
export function climb(kind, g, table) {
  const gradient = zeros();
  table.forEach(([n0, n1], code) => {
    const q = second(kind, g, code);
    const pull = n1 - (n0 + n1) * q; // gradient for the second path; the gradient for the first path is -pull
    for (let t = 0; t < (kind === 'MEMM' ? 1 : 3); t++) {
      gradient[PATHS[1][t]][letterOf(code, t)] += pull;
      gradient[PATHS[0][t]][letterOf(code, t)] -= pull;
    }
  });
  g.forEach((row, s) =>
    row.forEach((_, o) => {
      row[o] += (RATE * gradient[s][o]) / TRAIN;
    }),
  );
}

/**
 * Returns the fraction of words whose path is predicted wrongly, and the fraction of states that are wrong.
 * @param {'MEMM' | 'CRF'} kind
 * @param {number[][]} g
 * @param {number[][]} table
 */
export function errors(kind, g, table) {
  let [wrong, all] = [0, 0];
  table.forEach(([n0, n1], code) => {
    const other = second(kind, g, code) > 0.5;
    wrong += other ? n0 : n1;
    all += n0 + n1;
  });
  return { words: wrong / all, states: (2 * wrong) / (3 * all) }; // the two paths share their last state
}

/**
 * Returns the mean probability that the model gives to the wrong path.
 *
 * @param {'MEMM' | 'CRF'} kind
 * @param {number[][]} g
 * @param {number[][]} table
 */
export function doubt(kind, g, table) {
  let [wrong, all] = [0, 0];
  table.forEach(([n0, n1], code) => {
    const p = second(kind, g, code);
    wrong += n0 * p + n1 * (1 - p);
    all += n0 + n1;
  });
  return wrong / all;
}
