// SPDX-License-Identifier: MIT
// "What does this pixel see?": a pixel is chosen by pointing at it, or with the arrow keys once the picture has the focus.
// @ts-check
import { make } from './dom.js';

/** @type {Record<string, [number, number]>} rows, columns */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @typedef {{ row: number, col: number }} Place */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Object} options
 * @param {string} options.label
 * @param {() => { rows: number, cols: number }} options.grid
 * @param {() => Place | null} options.first where the arrow keys begin
 * @param {(place: Place) => void} options.onPlace
 * @param {() => void} options.onLeave neither pointed at nor focused any more
 * @returns {HTMLElement} the canvas in its focusable frame
 */
export function askable(canvas, { label, grid, first, onPlace, onLeave }) {
  const frame = make('div', { class: 'picture', tabindex: '0', role: 'application', 'aria-label': label }, canvas);
  /** @type {Place | null} */
  let at = null;
  /** @param {Place} place */
  const choose = (place) => {
    if (at?.row === place.row && at.col === place.col) return;
    at = place;
    onPlace(place);
  };
  const leave = () => {
    at = null;
    onLeave();
  };
  /** @param {number} value @param {number} size */
  const within = (value, size) => Math.min(size - 1, Math.max(0, value));

  /** @param {PointerEvent} event */
  const point = (event) => {
    const { rows, cols } = grid();
    const box = canvas.getBoundingClientRect();
    const col = Math.floor((event.clientX - box.left) / box.width * cols);
    const row = Math.floor((event.clientY - box.top) / box.height * rows);
    if (row >= 0 && row < rows && col >= 0 && col < cols) choose({ row, col });
  };
  frame.addEventListener('pointermove', point);
  frame.addEventListener('pointerdown', point);
  // A finger that lifts leaves its pixel chosen, until the picture loses the focus.
  frame.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse' && document.activeElement !== frame) leave(); });
  frame.addEventListener('blur', leave);
  frame.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { leave(); return; }
    const move = MOVES[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { rows, cols } = grid();
    const from = at ?? first();
    if (!from) choose({ row: Math.floor(rows / 2), col: Math.floor(cols / 2) });
    else choose({ row: within(from.row + move[0], rows), col: within(from.col + move[1], cols) });
  });
  return frame;
}
