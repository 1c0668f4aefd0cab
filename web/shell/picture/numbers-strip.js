// SPDX-License-Identifier: MIT
// A vector as a strip of cells of one device pixel, which the style sheet enlarges: warm above zero, grey below, darker the farther from
// zero.
// @ts-check
import { signed } from './cells.js';
import { palette } from './palette.js';

/** @param {HTMLCanvasElement} canvas @param {Float32Array} numbers @param {number} columns */
export function showNumbers(canvas, numbers, columns) {
  Object.assign(canvas, { width: columns, height: numbers.length / columns });
  const context = canvas.getContext('2d');
  if (!context) return;
  const colours = palette();
  const most = numbers.reduce((so, x) => Math.max(so, Math.abs(x)), 1e-9);
  numbers.forEach((x, i) => {
    context.fillStyle = signed(x / most, colours);
    context.fillRect(i % columns, Math.floor(i / columns), 1, 1);
  });
}
