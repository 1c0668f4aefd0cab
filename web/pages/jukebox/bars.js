// SPDX-License-Identifier: MIT
// Draws the codes of a level as coloured bars. A louder code has a higher bar. Visitors select a bar with the pointer or the arrow keys.
// @ts-check
import { createSurface } from './surface.js';
/** @import { Book } from './book.js' */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{ onPick?: (at: number) => void }} [told] onPick: called with the index of the bar that was pressed or focused
 */
export function createBars(canvas, { onPick } = {}) {
  /** @type {ArrayLike<number>} */
  let codes = [];
  /** @type {Book | undefined} */
  let book;
  let [most, cursor, picked] = [0, -1, -1];
  const again = createSurface(canvas, ({ context, width, height, colour, dark }) => {
    const each = width / Math.max(1, most || codes.length);
    for (let i = 0; i < codes.length; i++) {
      const high = book ? Math.max(0.12, book.loudness(codes[i])) * height : height / 2;
      context.fillStyle = book ? book.colour(codes[i], dark) : colour('--rule');
      context.fillRect(i * each, height - high, Math.max(each - (each > 4 ? 1 : 0), 0.5), high);
    }
    context.fillStyle = colour('--heat-text');
    if (cursor >= 0) context.fillRect(cursor * each - 1, 0, 2, height);
    if (picked >= 0 && picked < codes.length) {
      context.strokeStyle = colour('--ink');
      context.lineWidth = 2;
      context.strokeRect(picked * each, 1, Math.max(each, 2), height - 2);
    }
  });
  const pick = (/** @type {number} */ at) => {
    if (codes.length === 0) return;
    picked = Math.min(codes.length - 1, Math.max(0, at));
    again();
    onPick?.(picked);
  };
  if (onPick) {
    canvas.tabIndex = 0;
    const at = (/** @type {number} */ x) => Math.floor((x / canvas.clientWidth) * (most || codes.length));
    canvas.addEventListener('pointerdown', ({ offsetX }) => pick(at(offsetX)));
    canvas.addEventListener('pointermove', ({ offsetX, buttons }) => {
      if (buttons === 1 && at(offsetX) !== picked) pick(at(offsetX));
    });
    canvas.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      pick(step === -Infinity ? 0 : step === Infinity ? codes.length - 1 : picked + step);
    });
  }
  return {
    /** Shows the codes. @param {ArrayLike<number>} shown @param {number} [room] number of bars that fill the whole width */
    show(shown, room = 0) {
      [codes, most] = [shown, room];
      again();
    },
    /** @param {Book} read */
    set book(read) {
      book = read;
      again();
    },
    /** @param {number} at index of a code; -1 for none */
    set cursor(at) {
      cursor = at;
      again();
    },
    get picked() {
      return picked;
    },
  };
}
