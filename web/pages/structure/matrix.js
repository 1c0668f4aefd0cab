// SPDX-License-Identifier: MIT
// Draws the head probabilities as an attention matrix. Each word has one row, whose weights over the root and all words add up to 1.
// @ts-check
import { byId, make, percent, phrase } from '../../shell/index.js';

/** @import { Parse } from './tree-view.js' */

/** Maximum number of words in the table. The number of cells grows with the square of the number of words. */
const SHOWN = 48;

export function createMatrix() {
  const table = byId('matrix');
  const said = byId('matrix-said');

  /** @param {Parse} parse */
  function show({ words, heads, marginals = new Float32Array() }) {
    const row = words.length + 1;
    const shown = words.slice(0, SHOWN);
    const names = [phrase`root`, ...shown];
    table.replaceChildren(
      make('thead', {}, make('tr', {}, make('td', {}), ...names.map((name) => make('th', { scope: 'col' }, make('span', {}, name))))),
      make(
        'tbody',
        {},
        ...shown.map((word, m) =>
          make(
            'tr',
            {},
            make('th', { scope: 'row' }, word),
            ...names.map((name, head) => {
              const p = marginals[m * row + head];
              const cell = make(
                'td',
                { class: heads[m] === head ? 'best' : '', title: `${word} ← ${name}: ${percent(p)}` },
                p >= 0.01 ? String(Math.round(100 * p)) : '',
              );
              cell.style.setProperty('--p', `${(100 * Math.sqrt(p)).toFixed(1)}%`);
              return cell;
            }),
          ),
        ),
      ),
    );
    const entropy =
      words.reduce(
        (sum, _, m) => sum - [...marginals.subarray(m * row, (m + 1) * row)].reduce((all, p) => all + (p > 0 ? p * Math.log2(p) : 0), 0),
        0,
      ) / words.length;
    const mean = phrase`Mean entropy of a row: ${entropy.toFixed(2)} bits; uniform weights would have ${Math.log2(words.length).toFixed(2)}.`;
    said.textContent = words.length > SHOWN ? `${mean} ${phrase`The table has the first ${SHOWN} of ${words.length} words.`}` : mean;
  }
  return { show };
}
