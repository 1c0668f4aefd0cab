// SPDX-License-Identifier: MIT
// Draws the computation of attention with vectors in the plane. The figure shows a query, three keys and three values, all of which the
// visitor can drag, and the resulting weights and weighted sum.
// @ts-check
import { Playback, announce, byId, createTransport, make, phrase } from '../../shell/index.js';
import { attend } from './attend.js';
import { number } from './explain.js';
import { createPlane } from './plane.js';

/** @import { Arrow } from './plane.js' */

const COUNT = 3;
/** TURN: number of steps in a full rotation of the query. PACE: number of steps per second. */
const [TURN, PACE] = [90, 30];

export function createOverture() {
  const q = /** @type {Arrow} */ ({ name: 'q', kind: 'query', at: [0.7, 0.35] });
  const keys = /** @type {Arrow[]} */ (
    [
      [1.3, 1.1],
      [-1.5, 0.6],
      [0.3, -1.5],
    ].map((at, j) => ({ name: `k${'₁₂₃'[j]}`, kind: `key-${j}`, at }))
  );
  const values = /** @type {Arrow[]} */ (
    [
      [-0.4, 1.6],
      [1.6, 0.9],
      [0.4, -1.5],
    ].map((at, j) => ({ name: `v${'₁₂₃'[j]}`, kind: `key-${j}`, at }))
  );
  const out = /** @type {Arrow} */ ({ name: 'y', kind: 'query', at: [0, 0], fixed: true });
  const rows = Array.from({ length: COUNT }, (_, j) => {
    const [score, weight, bar] = [make('td'), make('td'), make('div', { class: `bar key-${j}` })];
    byId('overture-rows').append(
      make('tr', {}, make('th', { scope: 'row' }, `${j + 1}`), score, weight, make('td', { class: 'bar-cell' }, bar)),
    );
    return { score, weight, bar };
  });
  const said = byId('overture-said');
  const planes = [
    createPlane(byId('overture-keys'), phrase`Keys and a query`, [...keys, q], show),
    createPlane(byId('overture-values'), phrase`Values and their sum`, [...values, out], show),
  ];

  function show() {
    const { scores, weights, sum } = attend(
      q.at,
      keys.map(({ at }) => at),
      values.map(({ at }) => at),
    );
    out.at = sum;
    rows.forEach(({ score, weight, bar }, j) => {
      score.textContent = number(scores[j]);
      weight.textContent = `${Math.round(100 * weights[j])}%`;
      bar.style.setProperty('--p', `${100 * weights[j]}%`);
    });
    said.textContent = `y = ${weights.map((weight, j) => `${number(weight)} v${'₁₂₃'[j]}`).join(' + ')} = (${sum.map((x) => number(x)).join(', ')})`;
    for (const plane of planes) plane.draw();
  }

  const transport = createTransport(byId('overture-transport'), { name: 'overture', onRun: () => turn() });
  const playback = new Playback({ speed: PACE, onPhase: transport.show });
  /** Rotates the query once. */
  const turn = () =>
    playback.run(async (signal) => {
      const [length, from] = [Math.max(1, Math.hypot(...q.at)), Math.atan2(q.at[1], q.at[0])];
      for (let step = 1; step <= TURN; step++) {
        await playback.take(1, signal);
        const angle = from + (2 * Math.PI * step) / TURN;
        q.at = [length * Math.cos(angle), length * Math.sin(angle)];
        show();
      }
      announce(said.textContent ?? '');
    });
  show();
  playback.enter('done');
}
