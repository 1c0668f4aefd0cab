// SPDX-License-Identifier: MIT
// Draws a network without attention, unrolled in time, on a canvas. The encoder is at the bottom, and the decoder is at the top. The vector
// that the encoder passes to the decoder is in the middle.
// @ts-check
import { make, onTheme, palette, perFrame, phrase } from '../../shell/index.js';
import { paintState, rowOfWords } from './state-map.js';

/** @typedef {import('./network.js').Vector} Vector */
/**
 * @typedef {Object} OneVector
 * @property {string[]} read       words of the sentence, and the end token
 * @property {Vector[]} encoder    one state per word: the forward half, then the backward half
 * @property {Vector} vector       the vector that the encoder passes to the decoder
 * @property {string[]} written
 * @property {Vector[]} decoder    one state per word
 * @property {number[]} moved      for each word, how far the vector moves if the word is left out, as a fraction of the vector's length.
 *   While these distances are being computed, the array is shorter than `read`
 * @property {number} left         index of the word that is left out; -1 for none
 */

/**
 * Minimum width of a column, maximum size of a state's grid, gap between a row and the vector, height of the vector, height of the bars,
 * and font size, in pixels.
 */
const [COLUMN, MAP, BETWEEN, STRIP, BARS, SIZE] = [22, 40, 46, 24, 66, 13];
/** Number of cells per row of a state's grid, and of the vector. */
const [ACROSS, WIDE] = [16, 64];
/** Relative change at which a bar has its full length. */
const FULL = 0.7;

/**
 * @param {HTMLElement} root
 * @param {{ left: () => number, onLeft: (i: number) => void }} hooks `left` returns the index of the word that the visitor chose last. The
 *   drawing may not show this choice yet, because the sentence must first be translated without the word. `onLeft` is called with the index
 *   of the next word to leave out, or -1 for none
 */
export function createVectorView(root, { left, onLeft }) {
  const canvas = make('canvas', {
    class: 'picture unrolled',
    tabindex: '0',
    role: 'application',
    'aria-label': phrase`The network without attention, unrolled in time. The left and right arrow keys choose a word to leave out, Escape puts it back.`,
  });
  root.append(canvas);
  /** @type {OneVector | undefined} */
  let shown;

  const draw = perFrame(() => {
    const context = canvas.getContext('2d');
    const room = root.clientWidth;
    if (!context || room === 0 || !shown) return;
    const { read, encoder, vector, written, decoder, moved, left: omitted } = shown;
    const font = `${SIZE}px ${getComputedStyle(canvas).fontFamily}`;
    const width = Math.max(room, COLUMN * Math.max(read.length, written.length));
    const [below, above] = [width / read.length, width / written.length];
    const side = Math.max(12, Math.min(MAP, Math.floor(Math.min(below, above)) - 6));
    context.font = font;
    const [readRow, writtenRow] = [rowOfWords(context, read, below, SIZE), rowOfWords(context, written, above, SIZE)];
    const top = writtenRow.height;
    const middle = top + side + BETWEEN;
    const bottom = middle + STRIP + SIZE + BETWEEN;
    const floor = bottom + side + readRow.height + BARS;
    const ratio = devicePixelRatio;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round((floor + 2) * ratio) });
    Object.assign(canvas.style, { width: `${width}px`, height: `${floor + 2}px` });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = font;
    const colours = palette();
    const x = (/** @type {number} */ i) => (i + 0.5) * below;
    const y = (/** @type {number} */ j) => (j + 0.5) * above;
    const wide = Math.min(320, room * 0.6);
    const [from, to] = [(width - wide) / 2, (width + wide) / 2];

    /** @param {[number, number][]} points @param {string} colour @param {number} thick */
    function line(points, colour, thick) {
      if (!context) return;
      Object.assign(context, { strokeStyle: colour, lineWidth: thick, lineJoin: 'round' });
      context.beginPath();
      for (const [px, py] of points) context.lineTo(px, py);
      context.stroke();
    }
    // Draws the recurrent connections: two lines for the encoder (forward and backward), one for the decoder.
    const last = read.length - 1;
    for (const part of [0.25, 0.75])
      line(
        [
          [x(0), bottom + side * part],
          [x(last), bottom + side * part],
        ],
        colours.edge,
        1.5,
      );
    line(
      [
        [y(0), top + side / 2],
        [y(written.length - 1), top + side / 2],
      ],
      colours.edge,
      1.5,
    );
    // Draws lines from both ends of the sentence to the vector, and from the vector to the first written word.
    const end = middle + STRIP;
    line(
      [
        [x(0), bottom],
        [Math.max(from + 8, x(0)), end],
      ],
      colours.accent,
      2.5,
    );
    line(
      [
        [x(last), bottom],
        [Math.min(to - 8, x(last)), end],
      ],
      colours.accent,
      2.5,
    );
    line(
      [
        [width / 2, middle],
        [width / 2, middle - BETWEEN * 0.45],
        [y(0), middle - BETWEEN * 0.45],
        [y(0), top + side],
      ],
      colours.accent,
      2.5,
    );

    encoder.forEach((state, i) => {
      context.globalAlpha = i === omitted ? 0.2 : 1;
      paintState(context, colours, state, { left: x(i) - side / 2, top: bottom, width: side, height: side, across: ACROSS });
    });
    context.globalAlpha = 1;
    decoder.forEach((state, j) =>
      paintState(context, colours, state, { left: y(j) - side / 2, top, width: side, height: side, across: ACROSS }),
    );
    paintState(context, colours, vector, { left: from, top: middle, width: wide, height: STRIP, across: WIDE });
    Object.assign(context, { strokeStyle: colours.accent, lineWidth: 2.5 });
    context.strokeRect(from - 2, middle - 2, wide + 4, STRIP + 4);
    // Outlines the two states that form the halves of the vector: the last forward state and the last backward state.
    context.strokeRect(x(last) - side / 2 - 1, bottom - 1, side + 2, side / 2 + 1);
    context.strokeRect(x(0) - side / 2 - 1, bottom + side / 2, side + 2, side / 2 + 1);

    context.fillStyle = colours.ink;
    read.forEach((word, i) => {
      context.fillStyle = i === omitted ? colours.accent : colours.ink;
      context.font = i === omitted ? `700 ${font}` : font;
      readRow.write(word, x(i), bottom + side, -1);
    });
    context.font = font;
    context.fillStyle = colours.ink;
    written.forEach((word, j) => writtenRow.write(word, y(j), top, 1));
    Object.assign(context, { textAlign: 'center', textBaseline: 'top' });
    context.fillText(phrase`s₀: ${vector.length} numbers`, width / 2, end + 6);
    moved.forEach((share, i) => {
      const high = Math.min(1, share / FULL) * (BARS - SIZE - 4);
      context.fillStyle = i === omitted ? colours.accent : colours.heat(0.75);
      context.fillRect(x(i) - Math.min(12, below / 2 - 2), floor - high, Math.min(24, below - 4), high);
      if (below < 26) return;
      Object.assign(context, { fillStyle: colours.ink, textAlign: 'center', textBaseline: 'bottom' });
      context.fillText(share.toFixed(2), x(i), floor - high - 2);
    });
    line(
      [
        [0, floor],
        [width, floor],
      ],
      colours.edge,
      1,
    );
  });

  canvas.addEventListener('click', (event) => {
    if (!shown || event.offsetY < canvas.clientHeight / 2) return;
    const i = Math.floor(event.offsetX / (canvas.clientWidth / shown.read.length));
    if (i >= 0 && i < shown.read.length - 1) onLeft(i === left() ? -1 : i);
  });
  canvas.addEventListener('keydown', (event) => {
    if (!shown) return;
    const words = shown.read.length - 1;
    if (event.key === 'Escape' && left() >= 0) onLeft(-1);
    else if (event.key === 'ArrowRight') onLeft(Math.min(words - 1, left() + 1));
    else if (event.key === 'ArrowLeft') onLeft(left() < 0 ? words - 1 : Math.max(0, left() - 1));
    else return;
    event.preventDefault();
  });
  new ResizeObserver(draw).observe(root);
  onTheme(draw);
  return {
    /** @param {OneVector} next */
    show(next) {
      shown = next;
      draw();
    },
  };
}
