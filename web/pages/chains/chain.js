// SPDX-License-Identifier: MIT
// Computes forward, backward and Viterbi values of a linear chain, for figures that show these values. All values are logarithms, as in
// src/attention/forward_backward.c.
// @ts-check

/**
 * p(z) = exp(start[z_1] + sum_t U_t[z_t] + sum_t A[z_t-1][z_t]) / Z
 *
 * @typedef {{ start: number[], A: number[][], U: number[][] }} Chain
 */

/** Returns log sum_i e^(x[i]). @param {number[]} x */
export function logSum(x) {
  const most = Math.max(...x);
  return most === -Infinity ? most : most + Math.log(x.reduce((sum, one) => sum + Math.exp(one - most), 0));
}

/** Computes alpha_t[c] = U_t[c] + log sum_k e^(alpha_t-1[k] + A[k][c]). @param {Chain} chain */
function forward({ start, A, U }) {
  /** @type {number[][]} */
  const alpha = [];
  U.forEach((u, t) => alpha.push(u.map((one, c) => one + (t === 0 ? start[c] : logSum(alpha[t - 1].map((a, k) => a + A[k][c]))))));
  return alpha;
}

/** Computes beta_t[k] = log sum_c e^(A[k][c] + U_t+1[c] + beta_t+1[c]). @param {Chain} chain */
function backward({ A, U }) {
  const beta = U.map((u) => u.map(() => 0));
  for (let t = U.length - 2; t >= 0; t--) beta[t] = A.map((row) => logSum(row.map((a, c) => a + U[t + 1][c] + beta[t + 1][c])));
  return beta;
}

/**
 * Returns the best tags z (in a tie, the lowest indices). For each cell, also returns the score of the best path to this cell, and the
 * previous tag on that path.
 * @param {Chain} chain
 */
export function viterbi({ start, A, U }) {
  /** @type {number[][]} */
  const best = [];
  /** @type {number[][]} */
  const from = [];
  U.forEach((u, t) => {
    from.push(u.map((_, c) => (t === 0 ? -1 : first(best[t - 1].map((b, k) => b + A[k][c])))));
    best.push(u.map((one, c) => one + (t === 0 ? start[c] : best[t - 1][from[t][c]] + A[from[t][c]][c])));
  });
  const z = [first(best[best.length - 1])];
  for (let t = U.length - 1; t > 0; t--) z.unshift(from[t][z[0]]);
  return { best, from, z };
}

/** Returns the index of the largest value; if several are equal, the lowest index. @param {number[]} x */
export const first = (x) => x.indexOf(Math.max(...x));

/** Returns p(z_t = c) for every t and c, and log Z. @param {Chain} chain */
export function marginals(chain) {
  const [alpha, beta] = [forward(chain), backward(chain)];
  const logZ = logSum(alpha[alpha.length - 1]);
  return { alpha, beta, logZ, p: alpha.map((a, t) => a.map((one, c) => Math.exp(one + beta[t][c] - logZ))) };
}
