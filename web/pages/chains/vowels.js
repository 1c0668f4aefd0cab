// SPDX-License-Identifier: MIT
// Runs the Baum-Welch algorithm. A hidden Markov model with two states learns from letters without tags, and the figure shows which classes
// of letters the model finds.
// @ts-check
import { announce, byId, make, phrase, reducedMotion, whileSeen } from '../../shell/index.js';
import { logSum, marginals } from './chain.js';

const TEXT =
  'once upon a time there was a little girl who lived in a village near the forest and whenever she went out she wore a red riding cloak so everyone in the village called her little red riding hood one morning she asked her mother if she could go to visit her grandmother as it had been a while since they had seen each other';
const LETTERS = [...' abcdefghijklmnopqrstuvwxyz'];
const SEQUENCE = [...TEXT].map((letter) => LETTERS.indexOf(letter));
const ROUNDS = 60;

/** @typedef {{ start: number[], A: number[][], B: number[][] }} Hmm  logarithms; B[state][letter] */

/**
 * Returns initial parameters that are nearly uniform. Exactly uniform parameters would be a saddle point, from which training could not
 * move.
 *
 * @returns {Hmm}
 */
function beginning() {
  const spread = (/** @type {number[]} */ x) => x.map((one) => one - logSum(x));
  return {
    start: [Math.log(0.5), Math.log(0.5)],
    A: [spread([0, 0.2]), spread([0.2, 0])],
    B: [0, 1].map((k) => spread(LETTERS.map((_, v) => 0.1 * Math.sin(7 * v + 3 * k)))),
  };
}

/**
 * Performs one iteration of expectation-maximisation.
 * @param {Hmm} hmm
 * @returns {{ hmm: Hmm, logP: number, p: number[][] }}  logP: log probability of the text before this iteration
 */
function round({ start, A, B }) {
  const U = SEQUENCE.map((v) => B.map((row) => row[v]));
  const { alpha, beta, logZ, p } = marginals({ start, A, U });
  const step = A.map((row, k) => row.map((a, c) => logSum(U.slice(1).map((u, t) => alpha[t][k] + a + u[c] + beta[t + 1][c] - logZ))));
  const all = step.map(logSum);
  return {
    logP: logZ,
    p,
    hmm: {
      start: p[0].map((one) => Math.log(one)),
      A: step.map((row, k) => row.map((one) => one - all[k])),
      B: B.map((row, k) => {
        const counts = row.map(() => 1e-6);
        SEQUENCE.forEach((v, t) => {
          counts[v] += p[t][k];
        });
        const total = counts.reduce((sum, one) => sum + one, 0);
        return counts.map((one) => Math.log(one / total));
      }),
    },
  };
}

export function createVowels() {
  const run = make('button', { type: 'button', class: 'button primary' }, phrase`Learn`);
  byId('vowels-tools').append(run);
  const letters = [...TEXT].map((letter) => make('span', { class: 'letter' }, letter));
  byId('vowels-text').append(...letters);
  /** @type {Hmm} */
  let hmm = beginning();
  let rounds = 0;
  /** @type {number | undefined} */
  let frame;
  /** @param {boolean} asked whether the visitor started the training; only then is the end of the training announced */
  function go(asked) {
    const found = round(hmm);
    hmm = found.hmm;
    rounds++;
    letters.forEach((span, t) => span.style.setProperty('--p', `${Math.round(100 * found.p[t][1])}%`));
    const sides = [0, 1].map((k) =>
      LETTERS.filter((_, v) => SEQUENCE.includes(v) && hmm.B[k][v] > hmm.B[1 - k][v])
        .map((letter) => (letter === ' ' ? '␣' : letter))
        .join(' '),
    );
    byId('vowels-said').textContent =
      phrase`Iteration ${rounds}: log p(text) = ${found.logP.toFixed(2).replace('-', '−')}. One state prefers ${sides[0]}; the other ${sides[1]}.`;
    if (rounds < ROUNDS && !reducedMotion()) frame = requestAnimationFrame(() => go(asked));
    else if (rounds < ROUNDS) go(asked);
    else if (asked) announce(byId('vowels-said').textContent ?? '');
  }
  function start(asked = true) {
    if (frame) cancelAnimationFrame(frame);
    hmm = beginning();
    rounds = 0;
    go(asked);
  }
  run.addEventListener('click', () => start());
  if (reducedMotion()) start(false);
  else whileSeen(byId('vowels-text'), { start: () => (start(false), true), stop: () => false });
}
