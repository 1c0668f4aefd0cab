// SPDX-License-Identifier: MIT
// Loads the strips of held-out pictures. The names of the pictures are in emoji.json and photos.json. The pictures themselves are side by
// side in one PNG file per strip (see ../pictures/emoji.md and photos.md).
// @ts-check
import { phrase } from '../page/phrase.js';

/**
 * @typedef {Object} Subject a picture to complete or enlarge
 * @property {string} name
 * @property {string} note additional description
 * @property {string | null} label the class that the model gets
 * @property {ImageData} image
 */

/** The strips, each with the plural and singular nouns for its pictures. */
export const STRIPS = {
  emoji: { things: phrase`emoji`, one: phrase`an emoji` },
  photos: { things: phrase`photographs`, one: phrase`a photograph` },
};
/** @typedef {keyof typeof STRIPS} StripName */

/**
 * An entry of emoji.json or photos.json. `name` is the name of an emoji, or the class of a photograph. The page shows this name, but the
 * model does not receive it. `style` is the style of an emoji; the model receives the style as the class of the picture.
 * @typedef {{ name: string, style?: string, number?: number }} Entry
 */

/** @param {string} file */
async function get(file) {
  const response = await fetch(new URL(`../../pictures/${file}`, import.meta.url));
  if (!response.ok) throw new Error(phrase`The pictures could not be fetched: the server answered ${response.status}.`);
  return response;
}

/** @param {StripName} strip @returns {Promise<Subject[]>} */
export async function loadPictures(strip) {
  const [{ size, columns, pictures }, sprite] = await Promise.all([
    get(`${strip}.json`).then((response) => response.json()),
    get(`${strip}.png`).then((response) => response.blob()),
  ]);
  const bitmap = await createImageBitmap(sprite, { colorSpaceConversion: 'none' });
  const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error(phrase`This browser provides no canvas to read the pictures.`);
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return pictures.map((/** @type {Entry} */ { name, style, number }, /** @type {number} */ i) => ({
    name,
    note: style ?? phrase`test picture ${number}`,
    label: style ?? null,
    image: context.getImageData((i % columns) * size, Math.floor(i / columns) * size, size, size),
  }));
}
