// SPDX-License-Identifier: MIT
// Lets the visitor move the light. The network sees only the lit location while it generates the first words of the caption.
// @ts-check
import { byId, fault, make } from '../../shell/index.js';
import { imageFor, paint } from './tell.js';

/** Number of words for which the light stays where the visitor put it. For later words, the network chooses where to attend. */
const HELD = 2;

/** @param {ReturnType<typeof import('./tell.js').createTell>} tell */
export function createHand(tell) {
  /** @type {HTMLCanvasElement} */
  const canvas = byId('hand-canvas');
  const said = byId('hand-said');
  let place = { row: 2, column: 2 };
  let stopper = new AbortController();

  async function tellThere() {
    const { model, picture, grid } = tell;
    if (!model || picture.length === 0) return;
    stopper.abort();
    const { signal } = (stopper = new AbortController());
    const [row, column] = [Math.min(place.row, grid.rows - 1), Math.min(place.column, grid.columns - 1)];
    const at = row * grid.columns + column;
    const lit = new Float32Array(grid.rows * grid.columns);
    lit[at] = 1;
    void paint(canvas, picture, grid, lit);
    let text;
    try {
      text = await model.caption(imageFor(model, picture), { lookAt: Array(HELD).fill(at), signal }).text();
    } catch (error) {
      if (!signal.aborted) said.textContent = `${fault(error)}.`;
      return;
    }
    const words = text.split(' ');
    said.replaceChildren(
      make('b', { lang: 'en' }, words.slice(0, HELD).join(' ')),
      ' ',
      make('span', { lang: 'en' }, words.slice(HELD).join(' ')),
    );
  }

  /** @param {number} row @param {number} column */
  function move(row, column) {
    const { rows, columns } = tell.grid;
    const clamp = (/** @type {number} */ x, /** @type {number} */ n) => Math.max(0, Math.min(n - 1, x));
    const next = { row: clamp(row, rows), column: clamp(column, columns) };
    if (next.row === place.row && next.column === place.column) return;
    place = next;
    void tellThere();
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    const box = canvas.getBoundingClientRect();
    const { rows, columns } = tell.grid;
    move(Math.floor(((event.clientY - box.top) / box.height) * rows), Math.floor(((event.clientX - box.left) / box.width) * columns));
  }
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    follow(event);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons || event.pointerType === 'mouse') follow(event);
  });
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    move(place.row + step[0], place.column + step[1]);
  });
  tell.onTold(() => void tellThere());
}
