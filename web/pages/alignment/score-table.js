// SPDX-License-Identifier: MIT
// Draws the figure of the score functions. Each function scores the same word of the same sentence.
// @ts-check
import { byId, make, phrase, whenNear } from '../../shell/index.js';
import { visible } from '../../shell/text/words.js';
import { LOOKERS } from './example.js';
import { FUNCTIONS, scored } from './score-functions.js';
import { rowSum } from './terms.js';
/** @import { Example, Shown } from './example.js' */

/** @param {number} x */
const two = (x) => x.toFixed(2).replace('-', '−');

/** @param {Example} example @param {(t: number) => void} onWord called with the index of the selected word */
export function createScoreTable(example, onWord) {
  /** @type {HTMLInputElement} */
  const slider = byId('score-word');
  /** @type {HTMLInputElement} */
  const beta = byId('score-beta');
  /** @type {HTMLInputElement} */
  const mapped = byId('score-mapped');
  const [said, bars, sum] = [byId('score-said'), byId('score-bars'), byId('score-sum')];
  /** @type {Shown | undefined} */
  let shown;
  let [at, chosen] = [0, 1];
  const rows = FUNCTIONS.map(({ id, name, by, formula, score }, k) => {
    const radio = make('input', { type: 'radio', name: 'score', value: id, ...(k === chosen && { checked: '' }) });
    radio.addEventListener('change', () => {
      chosen = k;
      show();
    });
    const law = make('td', { class: 'law' });
    law.innerHTML = formula; // safe, because the formula comes from our own translated strings
    law.append(make('span', { class: 'wants' }, score ? phrase`computed` : phrase`learned`));
    const row = make(
      'tr',
      {},
      make('th', { scope: 'row' }, make('label', {}, radio, ` ${phrase(name)}`), make('span', { class: 'wants' }, by)),
      law,
    );
    byId('score-rows').append(row);
    return row;
  });
  const fixed = rows[0].children.length;

  /** Returns the scores and weights of function k. @param {Shown} all @param {number} k */
  function byFunction({ lookers }, k) {
    const { id, score } = FUNCTIONS[k];
    if (!score) return lookers[id].steps[at];
    const { source, steps } = lookers[LOOKERS[0]];
    return scored(score, steps[at].state, mapped.checked ? source.keys : source.h, Number(beta.value));
  }

  function show() {
    if (!shown) return;
    const { sentence, writers } = shown;
    const words = writers[LOOKERS[0]].words.map((word) => visible(word, '⏎'));
    const read = sentence.map((word) => visible(word, '⏎'));
    at = Math.min(at, words.length - 1);
    slider.max = String(words.length - 1);
    slider.value = String(at);
    byId('score-word-said').textContent = `${at + 1}: ${words[at]}`;
    slider.setAttribute('aria-valuetext', `${at + 1}: ${words[at]}`);
    byId('score-beta-said').textContent = beta.value;
    byId('score-head').replaceChildren(
      ...[phrase`Score`, phrase`of a word`].map((name) => make('th', { scope: 'col' }, name)),
      ...read.map((word) => make('th', { scope: 'col', lang: 'de' }, word)),
    );
    const now = shown;
    rows.forEach((row, k) => {
      const { weights } = byFunction(now, k);
      row.classList.toggle('chosen', k === chosen);
      while (row.children.length > fixed) row.lastElementChild?.remove();
      row.append(
        ...Array.from(weights, (w) => {
          const cell = make('td', {}, w === 0 ? '' : w.toFixed(2).replace(/^0/, ''));
          cell.style.setProperty('--p', `${Math.round(100 * w)}%`);
          return cell;
        }),
      );
    });
    const { scores, weights } = byFunction(shown, chosen);
    const { name, score } = FUNCTIONS[chosen];
    bars.replaceChildren(
      ...read.map((word, i) => {
        const bar = make(
          'li',
          {},
          make('span', { class: 'bar-word', lang: 'de' }, word),
          make('span', { class: 'bar-score' }, scores[i] === -Infinity ? phrase`out of reach` : two(scores[i])),
          make('span', { class: 'bar' }, two(weights[i])),
        );
        bar.style.setProperty('--p', `${Math.round(100 * weights[i])}%`);
        return bar;
      }),
    );
    sum.textContent = rowSum(weights, read, at + 1);
    const entropy = weights.reduce((total, w) => total - (w > 0 ? w * Math.log(w) : 0), 0);
    said.textContent = score
      ? phrase`“${words[at]}”: the score function ${phrase(name)}, on the states of the general network, spreads its weights over ${Math.exp(entropy).toFixed(1)} words.`
      : phrase`“${words[at]}”: the network trained with the score function ${phrase(name)} spreads its weights over ${Math.exp(entropy).toFixed(1)} words.`;
    byId('score-beta-control').hidden = FUNCTIONS[chosen].id !== 'cosine';
  }

  slider.addEventListener('input', () => {
    at = Number(slider.value);
    onWord(at);
    show();
  });
  for (const control of [beta, mapped, byId('score-raw')]) control.addEventListener('input', show);
  example.on(
    (next) => {
      shown = next;
      show();
    },
    (message) => {
      said.textContent = message;
    },
  );
  whenNear(byId('figure-scores'), example.open);
  return {
    choose: (/** @type {number} */ t) => {
      if (t !== at) {
        at = t;
        show();
      }
    },
  };
}
