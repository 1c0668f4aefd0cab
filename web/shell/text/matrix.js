// SPDX-License-Identifier: MIT
// Draws an attention map as a matrix with a row for each query and a column for each key.
// @ts-check
import { announce, make, onTheme, palette, perFrame, percent, phrase } from '../index.js';

/** @typedef {{ rows: string[], columns: string[], weights: ArrayLike<number>[], windows?: { from: number, to: number, centre: number }[] }} Matrix
 * weights: one array per row, possibly of different lengths; windows: for each row, the visible range of columns and the centre of this
 * range; the range and the centre each get a frame */

const SIZE = 13; // size of the letters in CSS pixels
const MOST = 34; // maximum size of a cell in CSS pixels
const LEAST = 13;

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} note element for the description of the cell under the pointer
 * @param {{ say?: (row: number, column: number) => string, rest?: () => string }} [hooks] say: returns the description of a cell; rest:
 *   returns the text to show while no cell is under the pointer
 */
export function createMatrix(root, note, { say, rest } = {}) {
  const canvas = make('canvas', {
    class: 'picture matrix',
    tabindex: '0',
    role: 'application',
    'aria-label': phrase`Attention map. Use the arrow keys to move through it.`,
  });
  root.append(canvas);
  /** @type {Matrix} */
  let matrix = { rows: [], columns: [], weights: [] };
  let [left, top, cell] = [0, 0, MOST];
  /** @type {[number, number] | null} row and column of the selected cell */
  let marked = null;
  const hint = note.textContent ?? '';

  const draw = perFrame(() => {
    const context = canvas.getContext('2d');
    const room = root.clientWidth;
    if (!context || room === 0) return;
    const { rows, columns, weights } = matrix;
    const { family } = { family: getComputedStyle(canvas).fontFamily };
    const font = `${SIZE}px ${family}`;
    context.font = font;
    const widest = (/** @type {string[]} */ words) => Math.max(0, ...words.map((word) => context.measureText(word).width));
    left = Math.ceil(widest(rows)) + 8;
    top = Math.ceil(widest(columns) * 0.87) + 14;
    cell = Math.max(LEAST, Math.min(MOST, Math.floor((room - left - 24) / Math.max(1, columns.length))));
    const width = Math.max(left + cell * columns.length + 24, 40);
    const height = Math.max(top + cell * rows.length + 2, 60);
    const ratio = devicePixelRatio;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const colours = palette();
    context.font = font;
    context.textBaseline = 'middle';
    context.fillStyle = colours.ink;
    rows.forEach((word, i) => {
      context.textAlign = 'right';
      context.fillText(word, left - 6, top + (i + 0.5) * cell);
    });
    columns.forEach((word, j) => {
      context.save();
      context.translate(left + (j + 0.5) * cell, top - 6);
      context.rotate(-Math.PI / 3);
      context.textAlign = 'left';
      context.fillText(word, 0, 0);
      context.restore();
    });
    rows.forEach((_, i) => {
      for (let j = 0; j < columns.length; j++) {
        const weight = weights[i]?.[j];
        context.fillStyle = weight === undefined ? colours.wash : colours.heat(Math.sqrt(weight));
        context.fillRect(left + j * cell, top + i * cell, cell - 1, cell - 1);
      }
    });
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.5;
    matrix.windows?.forEach(({ from, to, centre }, i) => {
      context.strokeRect(left + from * cell, top + i * cell, (to - from) * cell - 1, cell - 1);
      context.beginPath();
      context.moveTo(left + (centre + 0.5) * cell, top + i * cell);
      context.lineTo(left + (centre + 0.5) * cell, top + (i + 1) * cell - 1);
      context.stroke();
    });
    if (!marked) return;
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.strokeRect(left + marked[1] * cell, top + marked[0] * cell, cell - 1, cell - 1);
  });

  /** @param {number} row @param {number} column @param {boolean} [aloud] */
  function mark(row, column, aloud = false) {
    const { rows, columns, weights } = matrix;
    marked = row >= 0 && row < rows.length && column >= 0 && column < columns.length ? [row, column] : null;
    const weight = marked && weights[row]?.[column];
    note.textContent = !marked
      ? (rest?.() ?? hint)
      : weight === undefined || weight === null
        ? phrase`“${rows[row]}” cannot attend to “${columns[column]}”, which comes later`
        : (say?.(row, column) ?? phrase`“${rows[row]}” gives “${columns[column]}” ${percent(weight)}`);
    if (aloud && marked) announce(note.textContent);
    draw();
  }
  canvas.addEventListener('pointermove', (event) =>
    mark(Math.floor((event.offsetY - top) / cell), Math.floor((event.offsetX - left) / cell)),
  );
  canvas.addEventListener('pointerleave', () => mark(-1, -1));
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const [row, column] = marked ?? [0, 0];
    const clamp = (/** @type {number} */ n, /** @type {number} */ most) => Math.max(0, Math.min(most - 1, n));
    if (marked) mark(clamp(row + step[0], matrix.rows.length), clamp(column + step[1], matrix.columns.length), true);
    else mark(0, 0, true);
  });
  new ResizeObserver(draw).observe(root);
  onTheme(draw);
  return {
    /** @param {Matrix} next */
    show(next) {
      matrix = next;
      mark(-1, -1);
    },
  };
}
