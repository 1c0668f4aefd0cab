// SPDX-License-Identifier: MIT
// Draws a matrix as a grid of coloured cells with their numbers. The size of the matrix is shown above the grid. One cell can be selected;
// other cells can be highlighted.
// @ts-check
import { make, onTheme, palette, perFrame, phrase } from '../../shell/index.js';
import { number } from './explain.js';

/** @import { Matrix } from './graph.js' */
/** @import { Shown } from './boxes.js' */

/** In pixels: width and height of a cell with a number, font size, minimum height of a row without numbers, and minimum width of a cell. */
const [CELL, HEIGHT, FONT, SMALL, TINY] = [35, 21, 11, 13, 9];
/** In a matrix with more rows than this, each row has a smaller height. */
const TALL = 16;

/** @typedef {{ rows: string[], columns: string[], followed?: number }} Labels  followed: index of the marked row */

/**
 * @param {Shown} shown
 * @param {Labels} labels
 * @param {Object} hooks
 * @param {() => number} hooks.room returns the available width in pixels
 * @param {(matrix: Matrix, i: number, j: number, aloud: boolean) => void} hooks.onPoint
 * @param {() => void} hooks.onLeave
 */
export function createMatrixView({ matrix, symbol, transposed = false, wide = false }, labels, { room, onPoint, onLeave }) {
  const [down, across] = transposed ? [labels.columns, labels.rows] : [labels.rows, labels.columns];
  const [height, width] = transposed ? [matrix.cols, matrix.rows] : [matrix.rows, matrix.cols];
  const name = make('span', { class: 'matrix-name' });
  name.innerHTML = phrase(symbol); // safe, because the HTML comes from our own translated strings
  const canvas = make('canvas', {
    class: 'matrix-canvas',
    tabindex: '0',
    role: 'application',
    'aria-label': phrase`${name.textContent}, ${height} by ${width}. The arrow keys walk through it.`,
  });
  const root = make(
    'div',
    { class: 'matrix-view' },
    make('p', { class: 'matrix-head' }, name, make('span', { class: 'matrix-size' }, `${height} × ${width}`)),
    canvas,
  );
  /** @type {[number, number] | null} row and column of the selected cell */
  let pointed = null;
  /** @type {Set<number>} */
  let lit = new Set();
  let [left, cell, line, top] = [0, CELL, HEIGHT, 16];
  const most = Math.max(1e-9, ...Array.from(matrix.data, Math.abs).filter((x) => x < Infinity));
  /** Whether the values in each row add up to one. */
  const shares = matrix.made.op === 'softmax' || matrix.made.op === 'onehot';
  const at = (/** @type {number} */ y, /** @type {number} */ x) => (transposed ? [x, y] : [y, x]);

  const draw = perFrame(() => {
    const context = canvas.getContext('2d');
    if (!context) return;
    const { fontFamily } = getComputedStyle(canvas);
    const font = (/** @type {number} */ size) => `${size}px ${fontFamily}`;
    context.font = font(FONT);
    left = Math.ceil(Math.max(0, ...down.map((word) => context.measureText(word).width))) + 5;
    const space = Math.max(120, room()) - left - 2;
    cell = wide
      ? Math.max(TINY, Math.min(SMALL + 2, Math.floor(space / width)))
      : width * CELL <= space
        ? CELL
        : Math.max(TINY, Math.floor(space / width));
    const written = cell >= 33;
    line = height > TALL ? HEIGHT - 4 : written || wide ? HEIGHT : Math.min(HEIGHT, Math.max(SMALL, cell));
    const ratio = devicePixelRatio;
    const [w, h] = [left + cell * width + 1, top + line * height + 1];
    Object.assign(canvas, { width: Math.round(w * ratio), height: Math.round(h * ratio) });
    Object.assign(canvas.style, { width: `${w}px`, height: `${h}px` });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { known, predicted, ink, accent, paper, edge, wash, heat } = palette();
    context.textBaseline = 'middle';
    context.fillStyle = ink;
    const labelled = Math.max(FONT - 1, cell < 12 ? 9 : 0);
    context.textAlign = 'right';
    /** @param {string} word @param {number} x @param {number} y @param {boolean} followed */
    const label = (word, x, y, followed) => {
      context.font = `${followed ? '700 ' : ''}${font(labelled)}`;
      context.fillStyle = followed ? accent : ink;
      context.fillText(word, x, y);
    };
    down.forEach((word, y) => label(word, left - 4, top + (y + 0.5) * line, !transposed && y === labels.followed));
    context.textAlign = 'center';
    if (cell >= TINY)
      across.forEach((word, x) => {
        if (cell >= 12 || word.length === 1) label(word, left + (x + 0.5) * cell, top - 7, transposed && x === labels.followed);
      });
    context.font = font(written ? FONT : FONT - 2);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [i, j] = at(y, x);
        const value = matrix.at(i, j);
        const part = value === -Infinity ? 0 : shares ? value : Math.min(1, Math.abs(value) / most);
        const shade = shares
          ? heat(Math.sqrt(part))
          : value === -Infinity
            ? wash
            : value < 0
              ? known[Math.round(150 * part)]
              : predicted[Math.round(150 * part)];
        context.fillStyle = shade;
        context.fillRect(left + x * cell, top + y * line, cell - 1, line - 1);
        if (!written) continue;
        context.fillStyle = shares && part > 0.5 ? paper : ink;
        const text =
          Math.abs(value) >= 99.5 && value > -Infinity
            ? number(value, 0)
            : Math.abs(value) >= 9.95 && value > -Infinity
              ? number(value, 1)
              : number(value);
        context.fillText(text, left + (x + 0.5) * cell - 0.5, top + (y + 0.5) * line);
      }
    }
    context.lineWidth = 2;
    for (const place of lit) {
      const [y, x] = at(Math.floor(place / matrix.cols), place % matrix.cols);
      context.strokeStyle = getComputedStyle(canvas).getPropertyValue('--heat-text');
      context.strokeRect(left + x * cell, top + y * line, cell - 1, line - 1);
    }
    if (!pointed) return;
    const [y, x] = at(...pointed);
    context.strokeStyle = paper;
    context.lineWidth = 5;
    context.strokeRect(left + x * cell, top + y * line, cell - 1, line - 1);
    context.strokeStyle = edge && ink;
    context.lineWidth = 3;
    context.strokeRect(left + x * cell, top + y * line, cell - 1, line - 1);
  });

  /** @param {number} y @param {number} x @param {boolean} aloud */
  function point(y, x, aloud) {
    if (!(y >= 0 && y < height && x >= 0 && x < width)) return;
    const [i, j] = at(y, x);
    onPoint(matrix, i, j, aloud);
  }
  /** @param {PointerEvent} event */
  const pointing = (event) => point(Math.floor((event.offsetY - top) / line), Math.floor((event.offsetX - left) / cell), false);
  canvas.addEventListener('pointermove', pointing);
  canvas.addEventListener('pointerdown', (event) =>
    point(Math.floor((event.offsetY - top) / line), Math.floor((event.offsetX - left) / cell), true),
  );
  canvas.addEventListener('pointerleave', (event) => {
    if (event.pointerType === 'mouse') onLeave();
  });
  canvas.addEventListener('focus', () => {
    if (!pointed && canvas.matches(':focus-visible')) point(0, 0, true);
  });
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const [y, x] = pointed ? at(...pointed) : [-step[0], -step[1]];
    const within = (/** @type {number} */ n, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, n));
    point(within(y + step[0], height), within(x + step[1], width), true);
  });
  onTheme(draw);
  draw();
  return {
    root,
    canvas,
    matrix,
    draw,
    /** @param {[number, number] | null} cellAt @param {Set<number>} places */
    mark(cellAt, places) {
      pointed = cellAt;
      lit = places;
      draw();
    },
  };
}
/** @typedef {ReturnType<typeof createMatrixView>} MatrixView */
