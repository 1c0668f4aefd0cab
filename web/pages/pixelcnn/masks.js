// SPDX-License-Identifier: MIT
// Draws the kernel with masks A and B over a digit that is being drawn. The kernel moves in raster order, and its mask hides the pixels
// that are not drawn yet.
// @ts-check
import { PIXELS, SIDE, announce, loadStrip, make, onTheme, paintGrid, perFrame, phrase } from '../../shell/index.js';
import { leaves } from './leaves.js';

/** Half of the kernel's side, rounded down. The kernel has 5 x 5 taps. */
const HALF = 2;
/** DIGIT: index of the digit in the strip. BEGIN: index of the pixel at which the kernel starts. */
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
    root.append(
      make(
        'div',
        { class: 'mask' },
        make(
          'p',
          { class: 'panel-name' },
          make('b', {}, phrase`Mask ${kind}`),
          make('span', {}, kind === 'A' ? phrase`first layer` : phrase`all others`),
        ),
        make('div', { class: 'stage' }, canvas),
        note,
      ),
    );
    return { kind, canvas, note };
  });
  const slider = make('input', { id: 'mask-at', type: 'range', min: '0', max: String(PIXELS - 1), value: String(at) });
  const output = make('output', { for: 'mask-at' });
  root.after(make('p', { class: 'mask-slider' }, make('label', { for: 'mask-at' }, phrase`Pixel that is predicted`), slider, output));

  const redraw = perFrame(() => {
    const [row, column] = [Math.floor(at / SIDE), at % SIDE];
    output.textContent = phrase`row ${row + 1}, column ${column + 1}`;
    for (const { kind, canvas, note } of views) {
      /** @param {number} i @returns {'no tap' | 'open' | 'masked'} */
      const tapAt = (i) => {
        const [down, right] = [Math.floor(i / SIDE) - row, (i % SIDE) - column];
        return Math.abs(down) > HALF || Math.abs(right) > HALF ? 'no tap' : leaves(kind, down, right) ? 'open' : 'masked';
      };
      const taps = Array.from({ length: PIXELS }, (_, i) => tapAt(i));
      const left = taps.filter((tap) => tap === 'open').length;
      const painted = paintGrid(canvas, {
        at,
        cell: (i, { heat, ghost, wash, paper }) =>
          taps[i] === 'open' ? heat(0.35) : taps[i] === 'masked' ? ghost[255] : i >= at ? wash : paper,
        dot: (i, { known }) => (i < at && pixels[i] > 127 ? { colour: known[255], margin: taps[i] === 'open' ? 1 / 5 : 0 } : undefined),
      });
      if (!painted) continue;
      const all = (2 * HALF + 1) ** 2;
      note.textContent =
        kind === 'B'
          ? phrase`${left} of ${all} taps are inside the picture and not masked, including the centre tap, which reads the layer below at the same pixel.`
          : phrase`${left} of ${all} taps are inside the picture and not masked.`;
      canvas.setAttribute('aria-label', phrase`Mask ${kind} at row ${row + 1}, column ${column + 1}: ${note.textContent}`);
    }
  });
  slider.addEventListener('input', () => {
    at = Number(slider.value);
    redraw();
    announce(phrase`Row ${Math.floor(at / SIDE) + 1}, column ${(at % SIDE) + 1}`, 400);
  });
  loadStrip()
    .then((digits) => {
      pixels = digits[DIGIT].pixels;
      redraw();
    })
    .catch(() => {}); // the first figure loads the same digits and reports the error
  onTheme(redraw);
  new ResizeObserver(redraw).observe(root);
}
