// SPDX-License-Identifier: MIT
// Runs the experiment of Lafferty, McCallum and Pereira. The words rib and rob pass through a noisy channel. A MEMM and a CRF with the same
// states learn to recover the original word.
// @ts-check
import { announce, byId, make, percent, phrase, reducedMotion, whileSeen } from '../../shell/index.js';
import { LETTERS, TEST, TRAIN, climb, doubt, errors, second, words, zeros } from './channel.js';

const ROUNDS = 240;

/** @typedef {{ kind: 'MEMM' | 'CRF', g: number[][], curve: number[] }} Learner */

export function createRibRob() {
  /** @type {Learner[]} */
  let learners = [];
  let seed = 1;
  let round = 0;
  let [train, held] = [words(TRAIN, 1), words(TEST, 1001)];
  /** @type {number | undefined} */
  let frame;
  const run = make('button', { type: 'button', class: 'button primary' }, phrase`Train both`);
  const again = make('button', { type: 'button', class: 'button' }, phrase`Other words`);
  const choices = LETTERS.map((letter) => {
    const input = make('input', { type: 'radio', name: 'middle', value: letter, ...(letter === 'o' && { checked: '' }) });
    input.addEventListener('change', show);
    return make('label', {}, input, ` r${letter}b`);
  });
  byId('ribrob-tools').append(run, again);
  byId('ribrob-word').append(...choices);

  function begin() {
    learners = /** @type {const} */ (['MEMM', 'CRF']).map((kind) => ({ kind, g: zeros(), curve: [0.5] })); // both paths are equally likely
    round = 0;
  }
  function step() {
    for (const { kind, g, curve } of learners) {
      climb(kind, g, train);
      curve.push(doubt(kind, g, held));
    }
    round++;
  }
  /** @param {boolean} asked whether the visitor started the training; only then is the end of the training announced */
  function go(asked) {
    for (let i = 0; i < 3 && round < ROUNDS; i++) step();
    show();
    frame = round < ROUNDS ? requestAnimationFrame(() => go(asked)) : undefined;
    if (!frame && asked) announce(byId('ribrob-said').textContent ?? '');
  }
  function start(asked = true) {
    if (frame) cancelAnimationFrame(frame);
    begin();
    if (reducedMotion()) while (round < ROUNDS) step();
    go(asked);
  }
  run.addEventListener('click', () => start());
  again.addEventListener('click', () => {
    seed++;
    [train, held] = [words(TRAIN, seed), words(TEST, 1000 + seed)];
    start();
  });

  function show() {
    const middle = /** @type {HTMLInputElement} */ (document.querySelector('input[name=middle]:checked')).value;
    const code = 16 * LETTERS.indexOf('r') + 4 * LETTERS.indexOf(middle) + LETTERS.indexOf('b');
    const chart = byId('ribrob-chart');
    learners.forEach(({ kind, g, curve }) => {
      const found = errors(kind, g, held);
      const p = second(kind, g, code);
      const name = kind.toLowerCase();
      chart
        .querySelector(`.${name}`)
        ?.setAttribute('d', curve.map((e, i) => `${i ? 'L' : 'M'}${(300 * i) / ROUNDS} ${100 - 150 * e}`).join(''));
      byId(`${name}-words`).textContent = round ? `${(100 * found.words).toFixed(1)}%` : '·';
      byId(`${name}-states`).textContent = round ? `${(100 * found.states).toFixed(1)}%` : '·';
      for (const [path, share] of [
        [0, 1 - p],
        [1, p],
      ]) {
        const cell = byId(`${name}-path${path}`);
        cell.textContent = percent(share);
        cell.style.setProperty('--p', `${Math.round(100 * share)}%`);
      }
    });
    const [memm, crf] = learners.map(({ kind, g }) => errors(kind, g, held));
    byId('ribrob-said').textContent =
      round === 0
        ? phrase`2,000 training words and 500 test words are drawn; training has not started.`
        : phrase`After ${round} steps, the MEMM takes ${(100 * memm.words).toFixed(1)}% of the ${TEST} test words for the wrong word, and the CRF ${(100 * crf.words).toFixed(1)}%.`;
  }
  if (reducedMotion()) return start(false);
  begin();
  show();
  whileSeen(byId('ribrob-chart'), { start: () => (start(false), true), stop: () => false });
}
