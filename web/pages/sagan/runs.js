// SPDX-License-Identifier: MIT
// Draws the curves of three short training runs. The curves are read from the table below them.
// @ts-check
import { byId, makeSvg, phrase } from '../../shell/index.js';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 260, 44, 16, 12, 44];
/** Distance between two ticks of the vertical scale. */
const STEP = 20;

export function createRuns() {
  const chart = byId('runs-chart');
  const rows = [...byId('runs-table').querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => Number(textContent?.replace(',', ''))),
  );
  const last = rows[rows.length - 1][0],
    most = Math.ceil(Math.max(...rows.flatMap(([, ...distances]) => distances)) / STEP) * STEP;
  const x = (/** @type {number} */ step) => LEFT + (step * (WIDTH - LEFT - RIGHT)) / last;
  const y = (/** @type {number} */ distance) => TOP + ((most - distance) * (HEIGHT - TOP - BOTTOM)) / most;
  for (let distance = 0; distance <= most; distance += STEP) {
    chart.append(makeSvg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(distance), y2: y(distance) }));
    chart.append(makeSvg('text', { class: 'scale', x: LEFT - 8, y: y(distance) + 4, 'text-anchor': 'end' }, String(distance)));
  }
  // A tick is labelled only if there is space for its number.
  for (const [step] of rows.filter(([step]) => 8 * step >= last)) {
    chart.append(
      makeSvg(
        'text',
        { class: 'scale', x: x(step), y: HEIGHT - 24, 'text-anchor': step === last ? 'end' : 'middle' },
        step.toLocaleString('en'),
      ),
    );
  }
  chart.append(makeSvg('text', { class: 'scale', x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 5, 'text-anchor': 'middle' }, phrase`steps`));
  ['plain', 'both', 'scales'].forEach((name, k) => {
    chart.append(
      makeSvg('path', { class: `run ${name}`, d: rows.map((row, i) => `${i ? 'L' : 'M'}${x(row[0])} ${y(row[k + 1])}`).join('') }),
    );
    for (const row of rows) chart.append(makeSvg('circle', { class: `run-point ${name}`, cx: x(row[0]), cy: y(row[k + 1]), r: 4 }));
  });
}
