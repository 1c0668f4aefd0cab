// SPDX-License-Identifier: MIT
// Draws the figure of the sixteen selections. The figure shows four scores, the transitions, and every term of the expectation.
// @ts-check
import { byId, make, percent, phrase } from '../../shell/index.js';
import { sigma } from './bits.js';
import { WAYS, bit, byChain, bySoftmax, expectation } from './expectation.js';

/** Four adjacent characters of a chain. @typedef {{ letters: string[], scores: number[], stick: number }} Four */

/** The scores that the figure shows first. They are invented. @type {Four} */
const MADE_UP = { letters: ['d', 'o', 'r', 't'], scores: [-1, 1.5, -0.5, 1], stick: 1.5 };
/** Upper limits of the score sliders and of the transition slider; a larger initial value raises the limit. */
const [WIDEST, STICKIEST] = [3, 3];

/** @returns {(four: Four) => void} function that replaces the four characters */
export function createSixteen() {
  let first = MADE_UP;
  const scores = [...first.scores];
  const among = Array.from({ length: WAYS }, () => true);
  /** @type {HTMLInputElement} */
  const stick = byId('stick');
  const rows = /** @type {[string, string][]} */ ([
    [phrase`simple`, phrase`softmax: selects one of the four`],
    [phrase`sigmoid`, phrase`each character separately`],
    [phrase`structured`, phrase`each character with its neighbours`],
  ]);
  const sliders = scores.map((_, i) => {
    const slider = make('input', { type: 'range', step: 'any' });
    slider.addEventListener('input', () => {
      scores[i] = Number(slider.value);
      show();
    });
    return slider;
  });
  const heads = scores.map(() => make('th', { scope: 'col' }));
  byId('looks').append(
    make(
      'thead',
      {},
      make('tr', {}, make('td', {}), ...heads),
      make('tr', {}, make('th', { scope: 'row' }, phrase`score`), ...sliders.map((slider) => make('td', { class: 'plain' }, slider))),
    ),
    make(
      'tbody',
      {},
      ...rows.map(([name, how]) =>
        make('tr', {}, make('th', { scope: 'row' }, name, make('small', {}, how)), ...scores.map(() => make('td', {}))),
      ),
    ),
  );
  const cells = [...byId('looks').querySelectorAll('tbody tr')].map(
    (row) => /** @type {HTMLElement[]} */ ([...row.querySelectorAll('td')]),
  );
  const buttons = among.map((_, z) => {
    const button = make(
      'button',
      { type: 'button', 'aria-pressed': 'true' },
      make('span', { class: 'bits' }, ...scores.map((__, i) => make('i', { class: bit(z, i) ? 'on' : '' }))),
      make('span', { class: 'way-p' }),
    );
    button.addEventListener('click', () => {
      among[z] = !among[z];
      show();
    });
    byId('ways').append(make('li', {}, button));
    return button;
  });

  function show() {
    const pull = Number(stick.value);
    const { Z, p, looks } = expectation(scores, pull, among);
    byId('stick-said').textContent = pull === 0 ? phrase`independent` : pull.toFixed(2);
    [bySoftmax(scores), scores.map(sigma), looks].forEach((row, k) =>
      row.forEach((one, i) => {
        cells[k][i].textContent = percent(one);
        cells[k][i].style.setProperty('--p', `${Math.round(100 * one)}%`);
      }),
    );
    buttons.forEach((button, z) => {
      const looked = first.letters.filter((_, i) => bit(z, i));
      button.setAttribute('aria-pressed', String(among[z]));
      button.style.setProperty('--p', `${(100 * Math.sqrt(p[z])).toFixed(1)}%`);
      button.setAttribute('aria-description', phrase`looks at ${looked.join(', ') || phrase`nothing`}`);
      /** @type {HTMLElement} */ (button.lastElementChild).textContent = among[z] ? percent(p[z]) : phrase`out`;
    });
    const count = among.filter(Boolean).length;
    const sum = looks.map((one, i) => `${one.toFixed(3)} ${first.letters[i]}`).join(' + ');
    const chain = byChain(scores, pull);
    const far = Math.max(...looks.map((one, i) => Math.abs(one - chain[i])));
    const whole =
      count < WAYS
        ? phrase`The forward-backward algorithm sums over all of them.`
        : far < 1e-9
          ? phrase`The forward-backward algorithm gives the same four numbers without listing the terms.`
          : '';
    byId('sixteen-said').textContent =
      count === 0
        ? phrase`Without any selection there is no expectation.`
        : phrase`c = ${sum}: ${count} of 16 terms, Z = ${Z < 1e4 ? Z.toFixed(2) : `e^${Math.log(Z).toFixed(2)}`}. ${whole}`;
  }
  function begin() {
    among.fill(true);
    scores.splice(0, scores.length, ...first.scores);
    const wide = Math.max(WIDEST, ...scores.map((one) => Math.ceil(Math.abs(one))));
    sliders.forEach((slider, i) => {
      Object.assign(slider, { min: String(-wide), max: String(wide), value: String(scores[i]) });
      slider.setAttribute('aria-label', phrase`Score of ${first.letters[i]}`);
      heads[i].textContent = first.letters[i];
    });
    buttons.forEach((button) =>
      button.querySelectorAll('i').forEach((letter, i) => {
        letter.textContent = first.letters[i];
      }),
    );
    Object.assign(stick, {
      min: String(Math.min(0, Math.floor(first.stick))),
      max: String(Math.max(STICKIEST, Math.ceil(first.stick))),
      value: String(first.stick),
    });
    show();
  }
  stick.addEventListener('input', show);
  byId('sixteen-again').addEventListener('click', () => {
    first = MADE_UP;
    byId('sixteen-from').textContent = phrase`These are example scores.`;
    begin();
  });
  begin();
  return (four) => {
    first = four;
    byId('sixteen-from').textContent =
      phrase`Scores of “${four.letters.join('')}” from the trained network above, including the messages from the rest of the sentence.`;
    begin();
  };
}
