// SPDX-License-Identifier: MIT
// Paints vectors, tables and pictures of any size as a grid of coloured cells. Each cell covers whole device pixels.
// @ts-check
import { palette } from './palette.js';
/** @import { Cell } from './ask.js' */
/** @import { Palette } from './palette.js' */

/** Returns the colour of a number from -1 to 1: warm above 0, grey below. @param {number} x @param {Palette} colours */
export const signed = (x, { heat, ghost, known }) =>
  x >= 0 ? heat(x) : x > -0.5 ? ghost[Math.round(-510 * x)] : known[Math.round(51 - 204 * (x + 0.5))];

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Object} what
 * @param {number} what.rows
 * @param {number} what.cols
 * @param {(row: number, col: number, colours: Palette) => string} what.colour
 * @param {(Cell & { rows?: number, cols?: number })[]} [what.framed] cells to outline; with rows and cols, the outline is a rectangle
 *   of this size that starts at the cell
 * @returns {boolean} false if the canvas has no size on the page yet
 */
export function paintCells(canvas, { rows, cols, colour, framed = [] }) {
  const context = canvas.getContext('2d');
  const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.round(side * devicePixelRatio));
  if (!context || width === 0 || height === 0) return false;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const colours = palette();
  const x = (/** @type {number} */ col) => Math.round((col * width) / cols);
  const y = (/** @type {number} */ row) => Math.round((row * height) / rows);
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      context.fillStyle = colour(row, col, colours);
      context.fillRect(x(col), y(row), x(col + 1) - x(col), y(row + 1) - y(row));
    }
  }
  const line = Math.max(2, Math.round(2 * devicePixelRatio));
  for (const { row, col, rows: down = 1, cols: across = 1 } of framed) {
    for (const [stroke, lineWidth] of /** @type {[string, number][]} */ ([
      [colours.paper, 2 * line],
      [colours.accent, line],
    ])) {
      Object.assign(context, { strokeStyle: stroke, lineWidth });
      context.strokeRect(x(col), y(row), x(col + across) - x(col), y(row + down) - y(row));
    }
  }
  return true;
}
