// SPDX-License-Identifier: MIT
// Draws a vector as a strip with one canvas pixel per value. The style sheet enlarges the strip. Positive values have warm colours and
// negative values are grey. Larger absolute values are darker.
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
