// SPDX-License-Identifier: MIT
// Draws a picture and marks what one query sees. The query's block and its memory are outlined, and the visible pixels are tinted. In the
// part that is not drawn yet, numbers show the order of the blocks.
// @ts-check
import { palette } from '../../shell/index.js';
import { FORGOTTEN, LATER, TINT } from './geometry-shades.js';
/** @import { Track } from './geometry-run.js' */

/** Number of pixels on the path that shows the drawing order. */
const TRAIL = 20;

/**
 * @typedef {Object} View
 * @property {Track} track
 * @property {number} drawn number of drawn positions
 * @property {number} query position of the query; -1 for none
 * @property {boolean} trail whether to draw the path
 */

/** @param {HTMLCanvasElement} canvas @param {View} view */
export function paintGeometry(canvas, { track, drawn, query, trail }) {
  const { geometry } = track;
  const { rows, cols, order } = geometry;
  const context = canvas.getContext('2d');
  const width = Math.round(canvas.clientWidth * devicePixelRatio);
  if (!context || width === 0) return;
  const height = Math.round((width * rows) / cols);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const colours = palette();
  /** @param {number} col */
  const x = (col) => Math.round((col * width) / cols);
  /** @param {number} row */
  const y = (row) => Math.round((row * height) / rows);
  /** @param {number} pixel @returns {[number, number, number, number]} */
  const cell = (pixel) => {
    const row = Math.floor(pixel / cols);
    const col = pixel % cols;
    return [x(col), y(row), x(col + 1) - x(col), y(row + 1) - y(row)];
  };

  context.globalAlpha = 1;
  context.fillStyle = colours.wash;
  context.fillRect(0, 0, width, height);
  const visible = new Set(query < 0 ? [] : geometry.seen(query).elements);
  for (let step = 0; step < geometry.positions; step++) {
    const pixel = order[step];
    const seen = visible.has(pixel);
    const box = cell(pixel);
    if (step < drawn) {
      context.globalAlpha = 1;
      context.fillStyle = colours.paper;
      context.fillRect(...box);
      context.globalAlpha = query < 0 || seen ? 1 : step < query ? FORGOTTEN : LATER;
      context.fillStyle = track.colour(step);
      context.fillRect(...box);
    }
    if (!seen) continue;
    context.globalAlpha = TINT;
    context.fillStyle = colours.accent;
    context.fillRect(...box);
  }
  context.globalAlpha = 1;

  const line = Math.max(1, Math.round(devicePixelRatio));
  /**
   * Outlines a set of positions. The line stays inside the canvas.
   *
   * @param {Iterable<number>} steps
   * @param {string} colour
   * @param {number} thick
   */
  const outline = (steps, colour, thick) => {
    /** @param {number} at @param {number} end */
    const inset = (at, end) => Math.min(end - thick / 2, Math.max(thick / 2, at));
    const inside = new Set(Array.from(steps, (step) => order[step]));
    context.beginPath();
    for (const pixel of inside) {
      const row = Math.floor(pixel / cols);
      const col = pixel % cols;
      /** @param {boolean} open @param {[number, number, number, number]} edge */
      const side = (open, [c0, r0, c1, r1]) => {
        if (!open) return;
        context.moveTo(inset(x(c0), width), inset(y(r0), height));
        context.lineTo(inset(x(c1), width), inset(y(r1), height));
      };
      side(!inside.has(pixel - cols), [col, row, col + 1, row]);
      side(!inside.has(pixel + cols), [col, row + 1, col + 1, row + 1]);
      side(col === 0 || !inside.has(pixel - 1), [col, row, col, row + 1]);
      side(col === cols - 1 || !inside.has(pixel + 1), [col + 1, row, col + 1, row + 1]);
    }
    context.strokeStyle = colour;
    context.lineWidth = thick;
    context.lineCap = thick > line ? 'square' : 'butt'; // square ends close the gaps at corners, which only a thick line has
    context.stroke();
  };
  /** @param {number} from @param {number} to */
  const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);

  // In the part that is not drawn yet, shows the order of the blocks.
  for (const block of geometry.blocks()) {
    if (block.to > drawn) outline(range(block.from, block.to), colours.edge, line);
    if (block.from < drawn) continue;
    const size = Math.min(x(block.right) - x(block.left), y(block.bottom) - y(block.top)) * 0.34;
    context.font = `${size}px "Helvetica Neue", Arial, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = colours.edge;
    context.globalAlpha = 0.55;
    context.fillText(String(block.index + 1), (x(block.left) + x(block.right)) / 2, (y(block.top) + y(block.bottom)) / 2);
    context.globalAlpha = 1;
  }
  if (query < 0) return;
  const { from, to } = geometry.block(query);
  outline(geometry.memory(query), colours.heat(0.75), 1.5 * line);
  outline(range(from, to), colours.accent, 3 * line);

  if (trail) {
    const centre = (/** @type {number} */ step) => {
      const [left, top, w, h] = cell(order[step]);
      return /** @type {[number, number]} */ ([left + w / 2, top + h / 2]);
    };
    context.strokeStyle = colours.accent;
    context.lineWidth = 2 * line;
    context.lineCap = 'round';
    for (let step = Math.max(1, query - TRAIL); step <= query; step++) {
      context.globalAlpha = 1 - (query - step) / TRAIL;
      context.beginPath();
      context.moveTo(...centre(step - 1));
      context.lineTo(...centre(step));
      context.stroke();
    }
    context.globalAlpha = 1;
  }
  const [left, top, w, h] = cell(order[query]);
  const margin = 2 * line;
  context.fillStyle = colours.paper;
  context.fillRect(left - margin, top - margin, w + 2 * margin, h + 2 * margin);
  context.fillStyle = colours.accent;
  context.fillRect(left, top, w, h);
}
