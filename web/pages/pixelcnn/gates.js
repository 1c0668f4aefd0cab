// SPDX-License-Identifier: MIT
// Draws the function that a gated unit computes, tanh(f) sigma(g). The visitor sets f and g; no model is involved.
// @ts-check
import { announce, byId, phrase } from '../../shell/index.js';

/** f and g range from -MOST to MOST. The chart is 300 by 120 units. Its vertical axis goes from 1 (top) to -1. */
const MOST = 4;
const x = (/** @type {number} */ f) => 150 * (1 + f / MOST);
const y = (/** @type {number} */ out) => 60 - 56 * out;

/** @param {number} f @param {number} g */
const gated = (f, g) => Math.tanh(f) / (1 + Math.exp(-g));

/** Returns an SVG path of gated(f, g) as a function of f. With g = Infinity, the gate is fully open. @param {number} g */
const curve = (g) =>
  Array.from({ length: 81 }, (_, i) => MOST * (i / 40 - 1))
    .map((f, i) => `${i ? 'L' : 'M'}${x(f)} ${y(gated(f, g)).toFixed(2)}`)
    .join('');
const n = (/** @type {number} */ value) => value.toFixed(2).replace('-', '−');

/** Creates the figure #figure-gates. */
export function createGates() {
  const chart = byId('gates-chart');
  const [f, g] = ['gate-f', 'gate-g'].map((id) => /** @type {HTMLInputElement} */ (byId(id)));
  const said = byId('gates-said');
  chart.querySelector('.open')?.setAttribute('d', curve(Infinity));
  function show() {
    const [feature, gate] = [Number(f.value), Number(g.value)];
    const out = gated(feature, gate);
    chart.querySelector('.gated')?.setAttribute('d', curve(gate));
    const point = chart.querySelector('circle');
    point?.setAttribute('cx', String(x(feature)));
    point?.setAttribute('cy', String(y(out)));
    said.textContent = phrase`tanh ${n(feature)} = ${n(Math.tanh(feature))}; σ(${n(gate)}) = ${n(1 / (1 + Math.exp(-gate)))}; together ${n(out)}.`;
  }
  for (const slider of [f, g]) {
    slider.addEventListener('input', () => {
      show();
      announce(said.textContent ?? '', 400);
    });
  }
  show();
}
