// SPDX-License-Identifier: MIT
// Draws the trellis of four tags and five words. The figure shows the values of the forward, backward and Viterbi algorithms, column by
// column.
// @ts-check
import { announce, byId, make, phrase } from '../../shell/index.js';
import { first, logSum, marginals, viterbi } from './chain.js';

const WORDS = ['time', 'flies', 'like', 'an', 'arrow'];
const TAGS = [phrase`noun`, phrase`verb`, phrase`preposition`, phrase`article`];
/**
 * STEP: p(tag | previous tag), one row per previous tag. START: p(first tag). WORD: p(word | tag), one row per word. These probabilities
 * are invented, and are simple enough for mental arithmetic.
 */
const STEP = [
  [0.3, 0.4, 0.25, 0.05],
  [0.2, 0.05, 0.25, 0.5],
  [0.3, 0.05, 0.05, 0.6],
  [0.9, 0.05, 0.025, 0.025],
];
const START = [0.5, 0.2, 0.1, 0.2];
const WORD = [
  [0.2, 0.02, 0.001, 0.001],
  [0.1, 0.2, 0.001, 0.001],
  [0.02, 0.1, 0.5, 0.001],
  [0.001, 0.001, 0.001, 0.5],
  [0.1, 0.001, 0.001, 0.001],
];
const log = (/** @type {number[]} */ p) => p.map(Math.log);
const chain = { start: log(START), A: STEP.map(log), U: WORD.map(log) };

/** @typedef {'forward' | 'backward' | 'both' | 'viterbi'} Pass */
const n = (/** @type {number} */ x) => x.toFixed(2).replace('-', '−');

export function createTrellis() {
  const { alpha, beta, logZ, p } = marginals(chain);
  const { best, from, z } = viterbi(chain);
  /** @type {Pass} */
  let pass = 'forward';
  /** Number of columns that are filled in. The table is complete until the visitor starts a replay. */
  let done = WORDS.length;
  /** The chosen cell, of word t and tag c. */
  let cell = { t: 1, c: 1 };

  const table = make('table', { class: 'trellis-table' });
  /** @type {HTMLButtonElement[][]} */
  const buttons = WORDS.map((_, t) =>
    TAGS.map((_tag, c) => {
      const button = make('button', { type: 'button', class: 'trellis-cell' });
      button.addEventListener('click', () => {
        cell = { t, c };
        show();
      });
      return button;
    }),
  );
  table.append(
    make('thead', {}, make('tr', {}, make('td'), ...WORDS.map((word) => make('th', { scope: 'col' }, word)))),
    make(
      'tbody',
      {},
      ...TAGS.map((tag, c) => make('tr', {}, make('th', { scope: 'row' }, tag), ...WORDS.map((_, t) => make('td', {}, buttons[t][c])))),
    ),
  );
  byId('trellis').append(table);
  const [none, back, next, all] = [
    [phrase`Start over`, -WORDS.length - 1],
    [phrase`Back`, -1],
    [phrase`Next column`, 1],
    [phrase`All`, WORDS.length + 1],
  ].map(([text, by]) => {
    const button = make('button', { type: 'button', class: 'button' }, String(text));
    button.addEventListener('click', () => {
      done = Math.max(0, Math.min(most(), done + Number(by)));
      if (done > 0 && done <= WORDS.length) cell = { t: column(done - 1), c: leader(column(done - 1)) };
      show();
      announce(byId('trellis-note').textContent ?? '');
    });
    return button;
  });
  byId('trellis-tools').append(none, back, next, all);
  for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[name=pass]'))) {
    radio.addEventListener('change', () => {
      pass = /** @type {Pass} */ (radio.value);
      done = most();
      show();
    });
  }
  /** Returns the number of columns to compute. Viterbi has one more step, the backtracking. */
  const most = () => WORDS.length + (pass === 'viterbi' ? 1 : 0);
  /** Returns the index of the i-th column to be computed. @param {number} i */
  const column = (i) => (pass === 'backward' ? WORDS.length - 1 - i : i);
  const numbers = () => ({ forward: alpha, backward: beta, both: p, viterbi: best })[pass];
  /** @param {number} t */
  const leader = (t) => first(numbers()[t]);

  function show() {
    const values = numbers();
    for (let t = 0; t < WORDS.length; t++) {
      const i = pass === 'backward' ? WORDS.length - 1 - t : t;
      const there = i < done;
      const odds = values[t].map((one) => (pass === 'both' ? one : Math.exp(one - logSum(values[t]))));
      TAGS.forEach((tag, c) => {
        const button = buttons[t][c];
        const way = pass === 'viterbi' && done > WORDS.length && z[t] === c;
        button.textContent = !there ? '·' : pass === 'both' ? `${(100 * values[t][c]).toFixed(1)}%` : n(values[t][c]);
        button.style.setProperty('--p', there ? `${Math.round(100 * odds[c])}%` : '0%');
        button.classList.toggle('way', way);
        button.setAttribute('aria-pressed', String(cell.t === t && cell.c === c));
        button.setAttribute(
          'aria-label',
          `${WORDS[t]}, ${tag}: ${there ? button.textContent : phrase`not yet`}${way ? phrase`, on the best path` : ''}`,
        );
      });
    }
    none.disabled = back.disabled = done === 0;
    next.disabled = all.disabled = done >= most();
    byId('trellis-note').textContent = note();
  }

  /** Describes how the chosen cell is computed. */
  function note() {
    const { t, c } = cell;
    const i = pass === 'backward' ? WORDS.length - 1 - t : t;
    if (done > WORDS.length && pass === 'viterbi')
      return phrase`The best tags: ${z.map((k, at) => `${WORDS[at]} ${TAGS[k]}`).join(', ')}. Together with the words, they have log p = ${n(best[WORDS.length - 1][z[WORDS.length - 1]])}. Summed over all tags, log p of the words is ${n(logZ)}.`;
    if (i >= done) return done === 0 ? phrase`Press “Next column”.` : phrase`${WORDS[t]}, ${TAGS[c]}: not computed yet.`;
    const u = n(chain.U[t][c]);
    if (pass === 'both')
      return phrase`p(${TAGS[c]} at “${WORDS[t]}” | all words) = e^(α + β − log Z) = e^(${n(alpha[t][c])} + (${n(beta[t][c])}) − (${n(logZ)})) = ${(100 * p[t][c]).toFixed(1)}%.`;
    if (pass === 'backward')
      return t === WORDS.length - 1
        ? phrase`β of the last word is 0: nothing follows.`
        : phrase`β(${TAGS[c]}) = log of the sum over the next tag of e^(step + word + its β): ${TAGS.map((next_, k) => `${n(chain.A[c][k] + chain.U[t + 1][k] + beta[t + 1][k])} ${next_}`).join(', ')}; together ${n(beta[t][c])}.`;
    if (t === 0)
      return phrase`${pass === 'forward' ? 'α' : phrase`best`}(${TAGS[c]}) = log p(begins with it) + log p(“${WORDS[t]}” | it) = ${n(chain.start[c])} + ${u} = ${n(numbers()[0][c])}.`;
    if (pass === 'forward')
      return phrase`α(${TAGS[c]}) = log p(“${WORDS[t]}” | it) + log of the sum over the tag before of e^(its α + step): ${u} + log of ${TAGS.map((tag, k) => `${n(alpha[t - 1][k] + chain.A[k][c])} ${tag}`).join(', ')}; together ${n(alpha[t][c])}.`;
    return phrase`best(${TAGS[c]}) = log p(“${WORDS[t]}” | it) + the largest of ${TAGS.map((tag, k) => `${n(best[t - 1][k] + chain.A[k][c])} ${tag}`).join(', ')}: from ${TAGS[from[t][c]]}, ${n(best[t][c])}.`;
  }
  show();
}
