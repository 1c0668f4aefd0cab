// SPDX-License-Identifier: MIT
// Draws pictures on a canvas of any size, with each cell on whole device pixels. The same View always produces the same drawing.
// @ts-check
import { SIDE, PIXELS } from './digits.js';
import { palette } from './palette.js';

/**
 * @typedef {Object} View the contents of a canvas
 * @property {Uint8Array} values 8-bit grey values
 * @property {number} filled number of drawn pixels; the rest is blank
 * @property {number} known number of given pixels, drawn in the first ink; all other pixels use the second ink
 * @property {boolean} [ghost] whether to draw the pixels from index `known` on in a pale ink; these pixels exist, but the model must not
 *   see them
 * @property {(i: number) => number} [heat] returns the position (0 to 1) on the heat ramp for the background of pixel i; NaN for no
 *   background
 * @property {number} [cursor] pixel to outline; -1 for none
 * @property {number} [pen] pixel that is drawn next; -1 for none
 * @property {[number, number][]} [ranges] ranges of pixels to outline, in raster order
 */

/**
 * Sets the bitmap of a square canvas to the size of the canvas on the screen.
 * @param {HTMLCanvasElement} canvas
 * @returns {number} side in device pixels; 0 if the canvas has no size on the page yet
 */
export function fitSquare(canvas) {
  const side = Math.round(canvas.clientWidth * devicePixelRatio);
  if (side > 0 && canvas.width !== side) canvas.width = canvas.height = side;
  return side;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {View} view
 */
export function paint(canvas, view) {
  const context = canvas.getContext('2d');
  if (!context || fitSquare(canvas) === 0) return;
  const { values, filled, known, ghost, heat, cursor = -1, pen = -1, ranges = [] } = view;
  const colours = palette();
  /** @param {number} k left edge of column k, or top edge of row k, in device pixels */
  const edge = (k) => Math.round((k * canvas.width) / SIDE);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  /** @param {number} i a pixel @returns {[x: number, y: number, width: number, height: number]} */
  const cell = (i) => {
    const row = Math.floor(i / SIDE),
      column = i % SIDE,
      x = edge(column),
      y = edge(row);
    return [x, y, edge(column + 1) - x, edge(row + 1) - y];
  };
  if (filled < PIXELS) {
    // the blank part: the rest of the current row, then all rows below it
    const [x, y, , h] = cell(filled),
      below = filled % SIDE ? y + h : y;
    context.fillStyle = colours.wash;
    if (below > y) context.fillRect(x, y, canvas.width - x, h);
    context.fillRect(0, below, canvas.width, canvas.height - below);
    context.fillStyle = colours.accent;
    if (pen >= filled) context.fillRect(...cell(pen));
  }
  for (let i = 0; i < filled; i++) {
    const [x, y, w, h] = cell(i);
    const ink = i < known ? colours.known : ghost ? colours.ghost : colours.predicted;
    const t = heat ? heat(i) : NaN;
    if (Number.isNaN(t)) {
      if (values[i] === 0) continue;
      context.fillStyle = ink[values[i]];
      context.fillRect(x, y, w, h);
      continue;
    }
    context.fillStyle = colours.heat(t);
    context.fillRect(x, y, w, h);
    if (values[i] === 0) continue;
    // Draws the grey value as a dot on the heat colour; darker greys have larger dots, so that both the grey value and the heat can be
    // seen.
    const dot = Math.round(Math.min(w, h) * (0.2 + (0.4 * values[i]) / 255));
    context.fillStyle = (i < known || ghost ? colours.known : colours.predicted)[255];
    context.fillRect(x + ((w - dot) >> 1), y + ((h - dot) >> 1), dot, dot);
  }
  const line = Math.max(1, Math.round(1.25 * devicePixelRatio));
  for (const [from, to] of ranges) outline(context, from, to, edge, colours.edge, line);
  if (cursor >= 0) {
    outline(context, cursor, cursor + 1, edge, colours.paper, line + 4 * Math.ceil(devicePixelRatio));
    outline(context, cursor, cursor + 1, edge, colours.accent, line + 1);
  }
}

/**
 * Outlines the pixels with the indices `from` to `to` - 1 in raster order. The first and the last row may be incomplete.
 * @param {CanvasRenderingContext2D} context
 * @param {number} from
 * @param {number} to
 * @param {(k: number) => number} edge
 * @param {string} colour
 * @param {number} width
 */
function outline(context, from, to, edge, colour, width) {
  if (to <= from) return;
  const top = Math.floor(from / SIDE);
  const start = from % SIDE;
  const bottom = Math.floor((to - 1) / SIDE);
  const end = ((to - 1) % SIDE) + 1;
  context.beginPath();
  /** @param {...[number, number]} corners columns and rows of the corners */
  const trace = (...corners) => {
    corners.forEach(([column, row], i) => context[i ? 'lineTo' : 'moveTo'](edge(column), edge(row)));
    context.closePath();
  };
  if (top === bottom) {
    trace([start, top], [end, top], [end, top + 1], [start, top + 1]);
  } else {
    trace([start, top], [SIDE, top], [SIDE, bottom], [end, bottom], [end, bottom + 1], [0, bottom + 1], [0, top + 1], [start, top + 1]);
  }
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineJoin = 'miter';
  context.stroke();
}

/**
 * Paints a picture of SIDE x SIDE pixels on a canvas of the same size. The style sheet enlarges the canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {(i: number) => string} colour
 */
export function paintSmall(canvas, colour) {
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext('2d');
  if (!context) return;
  for (let i = 0; i < PIXELS; i++) {
    context.fillStyle = colour(i);
    context.fillRect(i % SIDE, Math.floor(i / SIDE), 1, 1);
  }
}
