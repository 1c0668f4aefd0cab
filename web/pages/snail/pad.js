// SPDX-License-Identifier: MIT
// Builds a square that shows a chosen character, or a character that the visitor draws with a mouse, finger or pen.
// @ts-check
import { make, onTheme, palette } from '../../shell/index.js';
import { rasterise } from '../../shell/picture/rasterise.js';
import { paint } from './signs.js';
/** @import { Point } from '../../shell/picture/rasterise.js' */

/**
 * `box`: side of the square that the ink fills. `stroke`: width of a stroke. Both are in pixels of the 28 x 28 grid, and match the training
 * characters.
 */
const SIGN = { box: 19, stroke: 1.7 };

/**
 * @param {string} name label for screen readers
 * @param {() => void} onChange called whenever the drawing changes, even in the middle of a stroke
 */
export function createPad(name, onChange) {
  const canvas = make('canvas', { class: 'sign sign-pad', width: '28', height: '28', role: 'img', 'aria-label': name });
  /** @type {Uint8Array | null} */
  let pixels = null;
  /** @type {Point[][]} coordinates as fractions of the square's side */
  let strokes = [];

  const show = () => paint(canvas, pixels, palette().ink);
  /**
   * Shows the raw strokes while the pen is down. Once the pen is up, shows the 28 x 28 picture that the model reads.
   *
   * @param {boolean} over
   */
  function use(over) {
    const SIDE = 28;
    pixels = strokes.length === 0 ? null : rasterise(strokes, SIGN);
    if (over) show();
    else {
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      context.clearRect(0, 0, SIDE, SIDE);
      context.strokeStyle = palette().ink;
      context.lineWidth = SIGN.stroke;
      context.lineCap = context.lineJoin = 'round';
      for (const stroke of strokes) {
        context.beginPath();
        context.moveTo(stroke[0][0] * SIDE, stroke[0][1] * SIDE);
        for (const [x, y] of stroke) context.lineTo(x * SIDE, y * SIDE);
        context.stroke();
      }
    }
    onChange();
  }
  /** @param {PointerEvent} event @returns {Point} */
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    strokes.push([at(event)]);
    use(false);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    strokes[strokes.length - 1].push(...(event.getCoalescedEvents?.() ?? [event]).map(at));
    use(false);
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => use(true));
  onTheme(show);
  return {
    canvas,
    get pixels() {
      return pixels;
    },
    /** Shows a chosen character, or clears the square if `sign` is null. @param {Uint8Array | null} sign */
    set(sign) {
      strokes = [];
      pixels = sign;
      show();
    },
  };
}
