// SPDX-License-Identifier: MIT
// Paints a canvas with one cell for each pixel of a digit, and outlines one of the cells.
// @ts-check
import { SIDE, PIXELS } from './digits.js';
import { fitSquare } from './paint.js';
import { palette } from './palette.js';
/** @import { Palette } from './palette.js' */

/**
 * Paints the grid at the resolution of the device.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {object} what
 * @param {number} what.at                        the pixel to outline
 * @param {(pixel: number, colours: Palette) => string} what.cell  returns the colour of a cell
 * @param {(pixel: number, colours: Palette) => { colour: string, margin: number } | undefined} [what.dot]  returns a square to draw inside
 *   the cell; its margin is a fraction of the cell
 * @param {(colours: Palette) => string} [what.frame]  returns the colour of the outline
 * @param {number} [what.line]                    width of the outline in CSS pixels
 * @returns {boolean} false if the canvas has no size on the page yet
 */
export function paintGrid(canvas, { at, cell, dot, frame = ({ accent }) => accent, line = 2 }) {
  const context = canvas.getContext('2d');
  const side = fitSquare(canvas);
  if (!context || side === 0) return false;
  const colours = palette();
  const edge = (/** @type {number} */ k) => Math.round((k * side) / SIDE);
  /** @param {number} pixel @returns {[number, number, number, number]} */
  const box = (pixel) => {
    const [column, row] = [pixel % SIDE, Math.floor(pixel / SIDE)];
    const [x, y] = [edge(column), edge(row)];
    return [x, y, edge(column + 1) - x, edge(row + 1) - y];
  };
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, side, side);
  for (let pixel = 0; pixel < PIXELS; pixel++) {
    const [x, y, w, h] = box(pixel);
    context.fillStyle = cell(pixel, colours);
    context.fillRect(x, y, w, h);
    const square = dot?.(pixel, colours);
    if (!square) continue;
    const margin = Math.round(w * square.margin);
    context.fillStyle = square.colour;
    context.fillRect(x + margin, y + margin, w - 2 * margin, h - 2 * margin);
  }
  context.strokeStyle = frame(colours);
  context.lineWidth = Math.max(line, Math.round(line * devicePixelRatio));
  context.strokeRect(...box(at));
  return true;
}
