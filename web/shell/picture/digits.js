// SPDX-License-Identifier: MIT
// Converts pictures from and to the pages' format: 8-bit grey values in raster order, where 0 is paper and 255 is ink. Also reads the strip
// of test digits (see ../pictures/digits.md).
// @ts-check
import { phrase } from '../page/phrase.js';

export const SIDE = 28;
export const PIXELS = SIDE * SIDE;

/**
 * Reads the strip of test digits, an idx3 file with four images of each class.
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ digit: number, pixels: Uint8Array }[]>}
 */
export async function loadStrip(signal) {
  const response = await fetch(new URL('../../pictures/digits.bin', import.meta.url), { signal });
  if (!response.ok) throw new Error(phrase`The test digits could not be fetched: the server answered ${response.status}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const head = new DataView(bytes.buffer);
  const count = bytes.length < 16 ? 0 : head.getUint32(4);
  if (!count || head.getUint32(0) !== 2051 || head.getUint32(8) !== SIDE || bytes.length !== 16 + count * PIXELS) {
    throw new Error(phrase`The file of test digits is damaged.`);
  }
  return Array.from({ length: count }, (_, i) => ({
    digit: Math.floor(i / (count / 10)),
    pixels: bytes.subarray(16 + i * PIXELS, 16 + (i + 1) * PIXELS),
  }));
}

/**
 * Returns a picture in the library's format: one grey value per pixel.
 * @param {Uint8Array} pixels
 */
export const toImage = (pixels) => ({ data: pixels, width: SIDE, height: SIDE });
