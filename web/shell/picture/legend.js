// SPDX-License-Identifier: MIT
// Draws a legend: the heat ramp with labels.
// @ts-check
import { make } from '../page/dom.js';
import { onTheme, palette } from './palette.js';

/**
 * Surprisal at the top of the scale, in nats. This surprisal corresponds to a probability of e^-4, about one in 55. Larger values get the
 * same colour.
 */
export const NATS_SHOWN = 4;

/**
 * @param {HTMLElement} root
 * @param {string[]} initial labels, from left to right
 */
export function createLegend(root, initial) {
  const canvas = make('canvas', { width: '256', height: '1', 'aria-hidden': 'true' });
  const scale = make('div', { class: 'legend-scale' });
  root.append(canvas, scale);
  const draw = () => {
    const context = canvas.getContext('2d');
    if (!context) return;
    for (let x = 0; x < 256; x++) {
      context.fillStyle = palette().heat(x / 255);
      context.fillRect(x, 0, 1, 1);
    }
  };
  /** @param {string[]} numbers */
  const label = (numbers) => scale.replaceChildren(...numbers.map((number) => make('span', {}, number)));
  onTheme(draw);
  draw();
  label(initial);
  return { label };
}
