// SPDX-License-Identifier: MIT
// Paints a network's state vectors and words on a canvas. Each state vector becomes a small grid of coloured cells.
// @ts-check
import { signed } from '../../shell/index.js';
/** @import { palette } from '../../shell/index.js' */
/** @import { Vector } from './network.js' */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {ReturnType<typeof palette>} colours
 * @param {Vector} state
 * @param {{ left: number, top: number, width: number, height: number, across: number }} place position and size in pixels; `across` is the
 *   number of cells per row
 */
export function paintState(context, colours, state, { left, top, width, height, across }) {
  const rows = Math.ceil(state.length / across);
  context.fillStyle = colours.paper;
  context.fillRect(left - 1, top - 1, width + 2, height + 2);
  state.forEach((number, k) => {
    context.fillStyle = signed(number, colours);
    context.fillRect(
      left + ((k % across) * width) / across,
      top + (Math.floor(k / across) * height) / rows,
      width / across + 0.3,
      height / rows + 0.3,
    );
  });
  context.strokeStyle = colours.edge;
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
}

/**
 * Paints a row of words. Words that are too wide for their columns are slanted.
 * @param {CanvasRenderingContext2D} context context with the font already set
 * @param {string[]} words
 * @param {number} column width of a column in pixels
 * @param {number} size font size in pixels
 */
export function rowOfWords(context, words, column, size) {
  const longest = Math.max(...words.map((word) => context.measureText(word).width));
  const steep = longest > column - 4;
  return {
    /** Height of the row in pixels. */
    height: steep ? Math.ceil(longest * 0.87) + 14 : size + 12,
    /**
     * @param {string} word
     * @param {number} middle
     * @param {number} edge
     * @param {1 | -1} way 1 to write the word above the edge, -1 to write it below the edge
     */
    write(word, middle, edge, way) {
      context.save();
      context.textBaseline = 'middle';
      context.translate(middle, edge - way * (steep ? 6 : 11));
      if (steep) context.rotate((-way * Math.PI) / 3);
      context.textAlign = steep ? 'left' : 'center';
      context.fillText(word, 0, 0);
      context.restore();
    },
  };
}
