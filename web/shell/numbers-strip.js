// SPDX-License-Identifier: MIT
// A vector as a strip of cells: blue above zero, grey below, the darker the farther.
// @ts-check
import { palette } from './index.js';

/** @param {HTMLCanvasElement} canvas @param {Float32Array} numbers @param {number} columns */
export function showNumbers(canvas, numbers, columns) {
  Object.assign(canvas, { width: columns, height: numbers.length / columns });
  const context = canvas.getContext('2d');
  if (!context) return;
  const { known, predicted } = palette();
  const most = numbers.reduce((so, x) => Math.max(so, Math.abs(x)), 1e-9);
  numbers.forEach((x, i) => {
    context.fillStyle = (x < 0 ? known : predicted)[Math.round(255 * Math.abs(x) / most)];
    context.fillRect(i % columns, Math.floor(i / columns), 1, 1);
  });
}
