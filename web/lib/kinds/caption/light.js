// SPDX-License-Identifier: MIT
// @ts-check

/** Draws a picture that is bright where a model attends and dark elsewhere. */

/** @import { Dom } from '../../base/dom.js' */

/** The brightness of a location without attention; 1 is full brightness. */
const DARK = 0.3;

/**
 * Returns the brightness of each location, 0 to 1; the location with the largest weight has brightness 1.
 *
 * @param {ArrayLike<number>} weights
 * @returns {number[]}
 */
export function brightness(weights) {
  const most = Math.max(...Array.from(weights), 1e-9);
  return Array.from(weights, (weight) => DARK + ((1 - DARK) * weight) / most);
}

/**
 * Returns the pixels of a picture, dimmed where the attention is low. The brightness of a pixel is interpolated between the centres of the
 * locations around it.
 *
 * @param {{ picture: ArrayLike<number>, width: number, height: number, grid: { rows: number, columns: number }, weights?: ArrayLike<number> }} scene
 *   picture: shape (rows, columns, 3); weights: one per location; without weights the whole picture is lit
 * @returns {Uint8ClampedArray<ArrayBuffer>} shape (rows, columns, 4)
 */
export function litPixels({ picture, width, height, grid: { rows, columns }, weights }) {
  const rgba = new Uint8ClampedArray(4 * width * height).fill(255);
  const light = weights && brightness(weights);
  const clamped = (/** @type {number} */ x, /** @type {number} */ n) => Math.min(n - 1, Math.max(0, x));
  for (let y = 0; y < height; y++) {
    const down = ((y + 0.5) / height) * rows - 0.5;
    const top = Math.floor(down);
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      let share = 1;
      if (light) {
        const across = ((x + 0.5) / width) * columns - 0.5;
        const left = Math.floor(across);
        const row = (/** @type {number} */ r) => {
          const line = clamped(r, rows) * columns;
          return light[line + clamped(left, columns)] * (1 - across + left) + light[line + clamped(left + 1, columns)] * (across - left);
        };
        share = row(top) * (1 - down + top) + row(top + 1) * (down - top);
      }
      for (let c = 0; c < 3; c++) rgba[4 * at + c] = picture[3 * at + c] * share;
    }
  }
  return rgba;
}

/**
 * Paints a picture, dimmed where the attention is low, into a rectangle. The picture is enlarged without smoothing.
 *
 * @param {Dom<'CanvasRenderingContext2D'>} context
 * @param {Parameters<typeof litPixels>[0]} scene
 * @param {{ left: number, top: number, width: number, height: number }} box  the rectangle, in units of the context
 */
export function paintLit(context, scene, { left, top, width, height }) {
  const rgba = litPixels(scene);
  const wide = width / scene.width;
  const high = height / scene.height;
  // Adjacent pixels of the same colour are common, so consecutive pixels of the same colour are painted as one rectangle. No second canvas
  // is needed.
  for (let y = 0; y < scene.height; y++) {
    for (let x = 0, end; x < scene.width; x = end) {
      const at = 4 * (y * scene.width + x);
      const colour = (/** @type {number} */ i) => (rgba[i] << 16) | (rgba[i + 1] << 8) | rgba[i + 2];
      for (end = x + 1; end < scene.width && colour(at + 4 * (end - x)) === colour(at); ) end++;
      context.fillStyle = `#${colour(at).toString(16).padStart(6, '0')}`;
      const [x0, x1, y0, y1] = [left + x * wide, left + end * wide, top + y * high, top + (y + 1) * high].map(Math.round);
      context.fillRect(x0, y0, x1 - x0, y1 - y0);
    }
  }
}
