// SPDX-License-Identifier: MIT
// Lets visitors explore a picture. Visitors choose a pixel with the pointer or, once the picture has the focus, with the arrow keys.
// @ts-check
import { make } from '../page/dom.js';

/** @type {Record<string, [number, number]>} rows, columns */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @typedef {{ row: number, col: number }} Cell */

/** @param {number} value @param {number} size */
const within = (value, size) => Math.min(size - 1, Math.max(0, value));

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Object} options
 * @param {string} options.label
 * @param {() => { rows: number, cols: number }} options.grid
 * @param {() => Cell | null} [options.from] the cell from which the arrow keys start
 * @param {() => Cell} [options.start] the initial cell (default: the middle)
 * @param {() => number} [options.limit] number of pixels that can be chosen, counted in raster order (default: all)
 * @param {(cell: Cell) => void} options.onPixel
 * @param {() => void} [options.onLeave] called when the picture has lost both pointer and focus
 * @returns {HTMLElement} the frame around the canvas, which can have the focus
 */
export function askable(canvas, { label, grid, from = () => null, start, limit = () => Infinity, onPixel, onLeave = () => {} }) {
  const frame = make('div', { class: 'picture', tabindex: '0', role: 'application', 'aria-label': label }, canvas);
  /** @type {Cell | null} */
  let at = null;
  /** @param {Cell} cell */
  const choose = (cell) => {
    if ((at?.row === cell.row && at.col === cell.col) || cell.row * grid().cols + cell.col >= limit()) return;
    at = cell;
    onPixel(cell);
  };
  const leave = () => {
    at = null;
    onLeave();
  };

  /** @param {PointerEvent} event */
  const point = (event) => {
    const { rows, cols } = grid();
    const box = canvas.getBoundingClientRect();
    const col = Math.floor(((event.clientX - box.left) / box.width) * cols);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    if (row >= 0 && row < rows && col >= 0 && col < cols) choose({ row, col });
  };
  frame.addEventListener('pointermove', point);
  frame.addEventListener('pointerdown', point);
  // After a touch ends, the touched pixel stays chosen until the picture loses the focus.
  frame.addEventListener('pointerleave', (event) => {
    if (event.pointerType === 'mouse' && document.activeElement !== frame) leave();
  });
  frame.addEventListener('blur', leave);
  frame.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      leave();
      return;
    }
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    const { rows, cols } = grid();
    const before = at ?? from();
    if (before) choose({ row: within(before.row + move[0], rows), col: within(before.col + move[1], cols) });
    else choose(start ? start() : { row: Math.floor(rows / 2), col: Math.floor(cols / 2) });
  });
  return frame;
}
