// SPDX-License-Identifier: MIT
// Draws a chart of BLEU by sentence length, with one line per kind of attention, and a table with the same values.
// @ts-check
import { byId, make, makeSvg, phrase } from '../../shell/index.js';
import { MEASURED, QUARTERS } from './measured.js';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 300, 40, 110, 12, 30];
/**
 * The five kinds of attention that the alignment figure compares. Each of them has its own line style; the lines of all other kinds are
 * pale.
 */
const DRAWN = ['additive', 'general', 'local-p', 'location', 'none'];

export function createLengths() {
  const all = MEASURED.flatMap(({ byLength }) => byLength);
  const [low, high] = [Math.floor(Math.min(...all) / 5) * 5, Math.ceil(Math.max(...all) / 5) * 5];
  const x = (/** @type {number} */ i) => LEFT + 20 + (i * (WIDTH - LEFT - RIGHT - 40)) / (QUARTERS.length - 1);
  const y = (/** @type {number} */ bleu) => TOP + ((high - bleu) * (HEIGHT - TOP - BOTTOM)) / (high - low);
  const chart = byId('lengths-chart');
  for (let bleu = low; bleu <= high; bleu += 5) {
    chart.append(makeSvg('line', { class: 'grid', x1: String(LEFT), x2: String(WIDTH - RIGHT), y1: String(y(bleu)), y2: String(y(bleu)) }));
    chart.append(makeSvg('text', { class: 'scale', x: String(LEFT - 8), y: String(y(bleu) + 4), 'text-anchor': 'end' }, String(bleu)));
  }
  QUARTERS.forEach((words, i) =>
    chart.append(makeSvg('text', { class: 'scale', x: String(x(i)), y: String(HEIGHT - 8), 'text-anchor': 'middle' }, words)),
  );
  /**
   * Labels with their vertical positions, which are adjusted so that the labels do not overlap.
   *
   * @type {{ text: SVGElement, at: number }[]}
   */
  const names = [];
  for (const { kind, name, byLength } of MEASURED) {
    const own = DRAWN.includes(kind) ? `line ${kind}` : 'line other';
    chart.append(makeSvg('path', { class: own, d: byLength.map((bleu, i) => `${i ? 'L' : 'M'}${x(i)} ${y(bleu)}`).join('') }));
    if (own === 'line other') continue;
    const text = makeSvg('text', { class: `name ${kind}`, x: String(WIDTH - RIGHT - 8) }, phrase(name));
    names.push({ text, at: y(byLength[byLength.length - 1]) + 4 });
  }
  names
    .sort((a, b) => a.at - b.at)
    .forEach((one, i) => {
      if (i > 0) one.at = Math.max(one.at, names[i - 1].at + 21);
      one.text.setAttribute('y', String(one.at));
      chart.append(one.text);
    });
  byId('scores-rows').append(
    ...MEASURED.map(({ kind, name, order, bleu, byLength, entropy, ms }) =>
      make(
        'tr',
        { class: kind },
        make('th', { scope: 'row' }, DRAWN.includes(kind) ? make('a', { href: `#panel-${kind}` }, phrase(name)) : phrase(name)),
        make('td', { class: 'how' }, phrase(order)),
        ...[bleu, ...byLength].map((one) => make('td', {}, one.toFixed(1))),
        make('td', {}, entropy === null ? '–' : entropy.toFixed(2)),
        make('td', {}, ms.toFixed(1)),
      ),
    ),
  );
  byId('quarters').append(
    ...[phrase`Score`, phrase`Looks`, 'BLEU', ...QUARTERS.map((words) => phrase`${words} words`), phrase`Entropy`, 'ms'].map((text) =>
      make('th', { scope: 'col' }, text),
    ),
  );
}
