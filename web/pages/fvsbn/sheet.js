// SPDX-License-Identifier: MIT
// Paints black-and-white pictures in rows on one canvas.
// @ts-check
import { SIDE, palette } from '../../shell/index.js';

/** Gap between two pictures, in pixels. */
const GAP = 2;
const CELL = SIDE + GAP;

/**
 * @param {HTMLCanvasElement} canvas canvas whose bitmap has one pixel per picture pixel; the style sheet enlarges it
 * @param {Uint8Array[]} pictures 1 = ink
 * @param {Object} options
 * @param {number} options.cols number of pictures per row
 * @param {'known' | 'predicted'} options.ink colour of the ink: 'known' for given pictures, 'predicted' for pictures that a network has
 *   drawn
 * @param {(k: number) => boolean} [options.pale] returns whether to draw picture k in a pale colour, because the visitor has excluded it
 * @param {number} [options.cursor] index of the picture to outline; -1 for none
 */
export function paintSheet(canvas, pictures, { cols, ink, pale = () => false, cursor = -1 }) {
  const colours = palette();
  canvas.width = cols * CELL;
  canvas.height = Math.ceil(pictures.length / cols) * CELL;
  const context = canvas.getContext('2d');
  if (!context) return;
  pictures.forEach((picture, k) => {
    const [left, top] = [(k % cols) * CELL, Math.floor(k / cols) * CELL];
    context.fillStyle = pale(k) ? colours.wash : colours.paper;
    context.fillRect(left + 1, top + 1, SIDE, SIDE);
    context.fillStyle = pale(k) ? colours.known[110] : colours[ink][255];
    for (let i = 0; i < picture.length; i++) if (picture[i]) context.fillRect(left + 1 + (i % SIDE), top + 1 + Math.floor(i / SIDE), 1, 1);
    if (k !== cursor) return;
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    context.strokeRect(left + 1, top + 1, SIDE, SIDE);
  });
}
