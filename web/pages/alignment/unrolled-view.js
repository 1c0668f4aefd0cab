// SPDX-License-Identifier: MIT
// Draws a network unrolled in time on a canvas, with the encoder's states at the bottom and the decoder's states at the top. Each state is
// a small grid of coloured cells. Lines show the attention of one decoder state.
// @ts-check
import { announce, make, onTheme, palette, perFrame, phrase } from '../../shell/index.js';
import { paintState, rowOfWords } from './state-map.js';

/** @typedef {import('./network.js').Vector} Vector */
/**
 * @typedef {Object} Unrolled
 * @property {string[]} read     words
 * @property {Vector[]} encoder  one state per word
 * @property {string[]} written
 * @property {Vector[]} decoder  the initial state, and the state after each word
 * @property {number} at         index of the selected word
 * @property {number} asks       index of the decoder state that is the query
 * @property {Vector} weights
 */

/**
 * Minimum width of a column, maximum size of a state's grid, gap between the encoder's row and the decoder's row, and font size, in pixels.
 */
const [COLUMN, MAP, BETWEEN, SIZE] = [22, 44, 120, 13];
/** Number of cells per row of a state's grid. */
const ACROSS = 16;

/**
 * @param {HTMLElement} root
 * @param {{ onWord: (t: number) => void, say: () => string }} hooks
 */
export function createUnrolledView(root, { onWord, say }) {
  const canvas = make('canvas', {
    class: 'picture unrolled',
    tabindex: '0',
    role: 'application',
    'aria-label': phrase`The network unrolled in time. The left and right arrow keys choose a word of the translation.`,
  });
  root.append(canvas);
  /** @type {Unrolled | undefined} */
  let shown;
  let columns = 1;

  const draw = perFrame(() => {
    const context = canvas.getContext('2d');
    const room = root.clientWidth;
    if (!context || room === 0 || !shown) return;
    const { read, encoder, written, decoder, at, asks, weights } = shown;
    const font = `${SIZE}px ${getComputedStyle(canvas).fontFamily}`;
    context.font = font;
    const width = Math.max(room, COLUMN * Math.max(read.length, decoder.length));
    columns = decoder.length;
    const [below, above] = [width / read.length, width / columns];
    const side = Math.max(12, Math.min(MAP, Math.floor(Math.min(below, above)) - 6));
    const [readRow, writtenRow] = [rowOfWords(context, read, below, SIZE), rowOfWords(context, written, above, SIZE)];
    const top = writtenRow.height;
    const bottom = top + side + BETWEEN;
    const height = bottom + side + readRow.height;
    const ratio = devicePixelRatio;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = font;
    const colours = palette();
    const x = (/** @type {number} */ i) => (i + 0.5) * below;
    const y = (/** @type {number} */ j) => (j + 0.5) * above;

    /** @param {number} fromX @param {number} fromY @param {number} toX @param {number} toY @param {string} colour @param {number} wide */
    function line(fromX, fromY, toX, toY, colour, wide) {
      if (!context) return;
      Object.assign(context, { strokeStyle: colour, lineWidth: wide });
      context.beginPath();
      context.moveTo(fromX, fromY);
      context.lineTo(toX, toY);
      context.stroke();
    }
    // Draws the recurrent connections: two lines for the encoder (forward and backward), one for the decoder.
    for (let i = 1; i < read.length; i++) {
      line(x(i - 1), bottom + side * 0.3, x(i), bottom + side * 0.3, colours.edge, 1.5);
      line(x(i - 1), bottom + side * 0.7, x(i), bottom + side * 0.7, colours.edge, 1.5);
    }
    for (let j = 1; j < columns; j++) line(y(j - 1), top + side / 2, y(j), top + side / 2, colours.edge, 1.5);
    weights.forEach((weight, i) => {
      if (weight >= 0.005) line(y(asks), top + side, x(i), bottom, colours.heat(0.25 + 0.75 * Math.sqrt(weight)), 0.8 + 7 * weight);
    });
    /** @param {Vector} state @param {number} middle @param {number} from */
    const map = (state, middle, from) =>
      paintState(context, colours, state, { left: middle - side / 2, top: from, width: side, height: side, across: ACROSS });
    encoder.forEach((state, i) => map(state, x(i), bottom));
    decoder.forEach((state, j) => map(state, y(j), top));
    context.strokeStyle = colours.accent;
    context.lineWidth = 3;
    context.strokeRect(y(asks) - side / 2 - 2, top - 2, side + 4, side + 4);

    read.forEach((word, i) => {
      context.fillStyle = colours.ink;
      readRow.write(word, x(i), bottom + side, -1);
    });
    written.forEach((word, t) => {
      context.fillStyle = t === at ? colours.accent : colours.ink;
      context.font = t === at ? `700 ${font}` : font;
      writtenRow.write(word, y(t + 1), top, 1);
    });
  });

  /** @param {PointerEvent} event */
  const point = (event) => {
    if (!shown) return;
    const t = Math.floor(event.offsetX / (canvas.clientWidth / columns)) - 1;
    if (event.offsetY < canvas.clientHeight / 2 && t >= 0 && t !== shown.at) onWord(t);
  };
  canvas.addEventListener('pointermove', point);
  canvas.addEventListener('pointerdown', point);
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !shown) return;
    event.preventDefault();
    onWord(Math.max(0, Math.min(shown.written.length - 1, shown.at + step)));
    announce(say());
  });
  new ResizeObserver(draw).observe(root);
  onTheme(draw);
  return {
    /** @param {Unrolled} next */
    show(next) {
      shown = next;
      draw();
    },
  };
}
