// SPDX-License-Identifier: MIT
// Makes a picture explorable: a pixel is chosen by pointing at it, or with the arrow keys once the picture has the focus.
// @ts-check
import { SIDE } from './digits.js';
import { make } from './dom.js';

/** @type {Record<string, [number, number]>} rows, columns */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Object} options
 * @param {string} options.label
 * @param {() => number} options.limit how many pixels may be chosen: those drawn so far
 * @param {(row: number, column: number) => void} options.onPlace
 * @param {() => void} [options.onLeave] neither pointed at nor focused any more
 * @returns {HTMLElement} the canvas in its focusable frame
 */
export function explorable(canvas, { label, limit, onPlace, onLeave = () => {} }) {
  const frame = make('div', { class: 'picture', tabindex: '0', role: 'application', 'aria-label': label }, canvas);
  let at = -1;

  /** @param {number} i */
  function choose(i) {
    if (i === at || i < 0 || i >= limit()) return;
    at = i;
    onPlace(Math.floor(i / SIDE), i % SIDE);
  }
  function leave() { at = -1; onLeave(); }

  /** @param {PointerEvent} event */
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * SIDE);
    const row = Math.floor((event.clientY - box.top) / box.height * SIDE);
    if (row >= 0 && row < SIDE && column >= 0 && column < SIDE) choose(row * SIDE + column);
  };
  frame.addEventListener('pointermove', point);
  frame.addEventListener('pointerdown', point);
  // A finger that lifts leaves its pixel chosen, until the picture loses the focus.
  frame.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse' && document.activeElement !== frame) leave(); });
  frame.addEventListener('blur', leave);

  /** Where the keyboard left off. */
  let cursor = -1;
  frame.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { leave(); return; }
    const move = MOVES[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const last = limit() - 1;
    if (last < 0) return;
    if (at >= 0) cursor = at;
    if (cursor < 0 || cursor > last) {
      cursor = Math.min(last, 20 * SIDE + SIDE / 2);
    } else {
      const row = Math.min(SIDE - 1, Math.max(0, Math.floor(cursor / SIDE) + move[0]));
      const column = Math.min(SIDE - 1, Math.max(0, cursor % SIDE + move[1]));
      if (row * SIDE + column <= last) cursor = row * SIDE + column;
    }
    choose(cursor);
  });
  return frame;
}
