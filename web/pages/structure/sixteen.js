// SPDX-License-Identifier: MIT
// The figure of the sixteen ways: scores, neighbours, and every term of the expectation.
// @ts-check
import { byId, make, percent } from '../../shell/index.js';
import { LETTERS, WAYS, bit, byChain, bySoftmax, expectation, sigma } from './expectation.js';

/** The scores that the characters begin with. */
const SCORES = [-1, 1.5, -0.5, 1];

export function createSixteen() {
  const scores = [...SCORES];
  const among = Array.from({ length: WAYS }, () => true);
  /** @type {HTMLInputElement} */
  const stick = byId('stick');
  const rows = /** @type {[string, string][]} */ ([['simple', 'softmax: one of the four'], ['sigmoid', 'each by itself'], ['structured', 'each with its neighbours']]);
  const sliders = LETTERS.map((letter, i) => {
    const slider = make('input', { type: 'range', min: '-3', max: '3', step: '0.25', value: String(scores[i]), 'aria-label': `Score of ${letter}` });
    slider.addEventListener('input', () => {
      scores[i] = Number(slider.value);
      show();
    });
    return slider;
  });
  byId('looks').append(
    make('thead', {}, make('tr', {}, make('td', {}), ...LETTERS.map((letter) => make('th', { scope: 'col' }, letter))), make('tr', {}, make('th', { scope: 'row' }, 'score'), ...sliders.map((slider) => make('td', { class: 'plain' }, slider)))),
    make('tbody', {}, ...rows.map(([name, how]) => make('tr', {}, make('th', { scope: 'row' }, name, make('small', {}, how)), ...LETTERS.map(() => make('td', {}))))),
  );
  const cells = [...byId('looks').querySelectorAll('tbody tr')].map((row) => /** @type {HTMLElement[]} */ ([...row.querySelectorAll('td')]));
  const buttons = among.map((_, z) => {
    const button = make('button', { type: 'button', 'aria-pressed': 'true' }, make('span', { class: 'bits' }, ...LETTERS.map((letter, i) => make('i', { class: bit(z, i) ? 'on' : '' }, letter))), make('span', { class: 'way-p' }));
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
    byId('stick-said').textContent = pull === 0 ? 'independent' : pull >= 2.5 ? 'sticky' : pull.toFixed(2);
    [bySoftmax(scores), scores.map(sigma), looks].forEach((row, k) => row.forEach((one, i) => {
      cells[k][i].textContent = percent(one);
      cells[k][i].style.setProperty('--p', `${Math.round(100 * one)}%`);
    }));
    buttons.forEach((button, z) => {
      const looked = LETTERS.filter((_, i) => bit(z, i));
      button.setAttribute('aria-pressed', String(among[z]));
      button.style.setProperty('--p', `${(100 * Math.sqrt(p[z])).toFixed(1)}%`);
      button.setAttribute('aria-description', `looks at ${looked.join(', ') || 'nothing'}`);
      /** @type {HTMLElement} */ (button.lastElementChild).textContent = among[z] ? percent(p[z]) : 'out';
    });
    const count = among.filter(Boolean).length;
    const sum = looks.map((one, i) => `${one.toFixed(3)} ${LETTERS[i]}`).join(' + ');
    const chain = byChain(scores, pull);
    const far = Math.max(...looks.map((one, i) => Math.abs(one - chain[i])));
    byId('sixteen-said').textContent = count === 0 ? 'With no way left there is nothing to expect.'
      : `c = ${sum}: ${count} of 16 terms, Z = ${Z.toFixed(2)}. ${count < WAYS ? 'Forward and backward would have taken all.' : far < 1e-9 ? 'Forward and backward give the same four numbers without any of the terms.' : ''}`;
  }
  stick.addEventListener('input', show);
  byId('sixteen-again').addEventListener('click', () => {
    among.fill(true);
    scores.splice(0, scores.length, ...SCORES);
    sliders.forEach((slider, i) => { slider.value = String(scores[i]); });
    stick.value = '1.5';
    show();
  });
  show();
}
