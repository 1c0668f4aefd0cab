// SPDX-License-Identifier: MIT
// Reads the page's held-out characters. The characters come from six alphabets of Omniglot: ten characters per alphabet, and four drawings
// per character (weights/train/models/snail/sheet.py).
// @ts-check
import { PIXELS } from '../../shell/picture/digits.js';
import { phrase } from '../../shell/page/phrase.js';

export const ALPHABETS = [phrase`Glagolitic`, phrase`Tibetan`, phrase`Gurmukhi`, phrase`Geʽez`, phrase`Avestan`, phrase`Mongolian`];
export const [SIGNS, DRAWINGS] = [10, 4];

/** @param {Uint8Array} packed @returns {Uint8Array[]} one array of 784 grey levels per drawing; 255 is ink */
export function unpack(packed) {
  if (packed.length !== (ALPHABETS.length * SIGNS * DRAWINGS * PIXELS) / 2) throw new Error(phrase`The file of characters is damaged.`);
  return Array.from({ length: (packed.length * 2) / PIXELS }, (_, k) =>
    Uint8Array.from({ length: PIXELS }, (_value, i) => {
      const byte = packed[(k * PIXELS + i) >> 1];
      return 17 * (i % 2 ? byte & 15 : byte >> 4);
    }),
  );
}

/** @returns {Promise<(alphabet: number, sign: number, drawing: number) => Uint8Array>} */
export async function loadSigns() {
  const response = await fetch(new URL('./signs.bin', import.meta.url));
  if (!response.ok) throw new Error(phrase`The characters could not be fetched: the server answered ${response.status}.`);
  const all = unpack(new Uint8Array(await response.arrayBuffer()));
  return (alphabet, sign, drawing) => all[(alphabet * SIGNS + sign) * DRAWINGS + drawing];
}

/**
 * Paints a 28 x 28 drawing on a canvas in the given ink colour.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8Array | null} pixels
 * @param {string} ink rgb(...)
 */
export function paint(canvas, pixels, ink) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const image = context.createImageData(28, 28);
  const [r, g, b] = (ink.match(/\d+/g) ?? []).map(Number);
  if (pixels) for (let i = 0; i < PIXELS; i++) image.data.set([r, g, b, pixels[i]], 4 * i);
  context.putImageData(image, 0, 0);
}
