// SPDX-License-Identifier: MIT
// Packs the output of models into records. Used by web/pages/NAME/record.js.
// @ts-check

/** @param {ArrayLike<number>} bytes */
export const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Reduces values to 4 bits and packs two values into each byte. @param {ArrayLike<number>} levels 0 to 255 */
export const nibbles = (levels) =>
  base64(Array.from({ length: levels.length / 2 }, (_, i) => (levels[2 * i] >> 4) | ((levels[2 * i + 1] >> 4) << 4)));

/** Rounds to two decimals, which is precise enough for drawing. @param {ArrayLike<number>} numbers */
export const rounded = (numbers) => Array.from(numbers, (number) => Math.round(100 * number) / 100);

/**
 * Draws on a white square and returns its pixels.
 *
 * @param {number} side
 * @param {(context: OffscreenCanvasRenderingContext2D) => void} draw
 */
export function pixelsOf(side, draw) {
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(side, side).getContext('2d'));
  context.fillStyle = '#fff';
  context.fillRect(0, 0, side, side);
  draw(context);
  return context.getImageData(0, 0, side, side);
}

/** @param {Uint8ClampedArray} rgba */
export const rgbOf = (rgba) => Uint8Array.from({ length: (rgba.length / 4) * 3 }, (_, i) => rgba[4 * Math.floor(i / 3) + (i % 3)]);

/** @param {string} path */
export const imageAt = async (path) => createImageBitmap(await (await fetch(path)).blob());

/**
 * Returns the pictures that a run generates: one array of values per sample.
 * @param {any} run
 * @param {number} size number of values per picture
 */
export async function picturesOf(run, size) {
  /** @type {Uint8Array[]} */
  const all = [];
  for await (const { sample, from = 0, values } of run) (all[sample] ??= new Uint8Array(size)).set(values, from);
  return all;
}
