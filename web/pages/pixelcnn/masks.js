// SPDX-License-Identifier: MIT
// Masks A and B, laid over a digit as it is drawn: the kernel moves along the raster, and the mask takes away what is not known yet.
// @ts-check
import { PIXELS, SIDE, announce, loadStrip, make, onTheme, palette, perFrame } from '../../shell/index.js';
import { leaves } from './leaves.js';

/** Half of the kernel's side, as in the lecture's figure: 5 x 5. */
const HALF = 2;
/** The digit of the strip that is drawn over, and where the masks begin. */
const DIGIT = 14;
const BEGIN = 12 * SIDE + 14;

/** @param {HTMLElement} root */
export function createMasks(root) {
  let at = BEGIN;
  /** @type {Uint8Array} */
  let pixels = new Uint8Array(PIXELS);
  const views = /** @type {const} */ (['A', 'B']).map((kind) => {
    const canvas = make('canvas', { role: 'img', class: 'picture' });
    const note = make('p', { class: 'panel-note' });
    root.append(make('div', { class: 'mask' }, make('p', { class: 'panel-name' }, make('b', {}, `Mask ${kind}`), make('span', {}, kind === 'A' ? 'first layer' : 'all others')),
      make('div', { class: 'stage' }, canvas), note));
    return { kind, canvas, note };
  });
  const slider = make('input', { id: 'mask-at', type: 'range', min: '0', max: String(PIXELS - 1), value: String(at) });
  const output = make('output', { for: 'mask-at' });
  root.after(make('p', { class: 'mask-slider' }, make('label', { for: 'mask-at' }, 'Pixel that is predicted'), slider, output));

  const redraw = perFrame(() => {
    const [row, column] = [Math.floor(at / SIDE), at % SIDE];
    output.textContent = `row ${row + 1}, column ${column + 1}`;
    for (const { kind, canvas, note } of views) {
      const context = canvas.getContext('2d');
      const side = Math.round(canvas.clientWidth * devicePixelRatio);
      if (!context || side === 0) continue;
      if (canvas.width !== side) canvas.width = canvas.height = side;
      const colours = palette();
      const edge = (/** @type {number} */ k) => Math.round(k * side / SIDE);
      context.fillStyle = colours.paper;
      context.fillRect(0, 0, side, side);
      let left = 0;
      for (let i = 0; i < PIXELS; i++) {
        const [down, right] = [Math.floor(i / SIDE) - row, i % SIDE - column];
        const tap = Math.abs(down) <= HALF && Math.abs(right) <= HALF;
        const open = tap && leaves(kind, down, right);
        if (open) left++;
        const x = edge(i % SIDE), y = edge(Math.floor(i / SIDE));
        const w = edge(i % SIDE + 1) - x, h = edge(Math.floor(i / SIDE) + 1) - y;
        context.fillStyle = open ? colours.heat(0.35) : tap ? colours.ghost[255] : i >= at ? colours.wash : colours.paper;
        context.fillRect(x, y, w, h);
        if (i < at && pixels[i] > 127) {
          context.fillStyle = colours.known[255];
          const d = open ? Math.round(w / 5) : 0;
          context.fillRect(x + d, y + d, w - 2 * d, h - 2 * d);
        }
      }
      context.strokeStyle = colours.accent;
      context.lineWidth = Math.max(2, Math.round(2 * devicePixelRatio));
      context.strokeRect(edge(column), edge(row), edge(column + 1) - edge(column), edge(row + 1) - edge(row));
      note.textContent = `${left} of ${(2 * HALF + 1) ** 2} taps are on the picture and open${kind === 'B' ? ', the pixel’s own column of the layer below among them' : ''}.`;
      canvas.setAttribute('aria-label', `Mask ${kind} at row ${row + 1}, column ${column + 1}: ${note.textContent}`);
    }
  });
  slider.addEventListener('input', () => {
    at = Number(slider.value);
    redraw();
    announce(`Row ${Math.floor(at / SIDE) + 1}, column ${at % SIDE + 1}`, 400);
  });
  loadStrip().then((digits) => {
    pixels = digits[DIGIT].pixels;
    redraw();
  }).catch(() => {}); // the figure above says what is wrong
  onTheme(redraw);
  new ResizeObserver(redraw).observe(root);
}
