// SPDX-License-Identifier: MIT
// The strip of held-out emoji: names in emoji.json, pictures side by side in emoji.png (see emoji.md).
// @ts-check

/**
 * @typedef {Object} Emoji
 * @property {string} name
 * @property {string} style a class of the model
 * @property {ImageData} image
 */

/** @param {string} file */
async function get(file) {
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`The emoji could not be fetched: the server answered ${response.status}.`);
  return response;
}

/** @returns {Promise<Emoji[]>} */
export async function loadEmoji() {
  const [{ size, columns, emoji }, sprite] = await Promise.all([
    get('./emoji.json').then((response) => response.json()),
    get('./emoji.png').then((response) => response.blob()),
  ]);
  const bitmap = await createImageBitmap(sprite, { colorSpaceConversion: 'none' });
  const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('The browser gives no canvas to read the emoji from.');
  context.drawImage(bitmap, 0, 0);
  return emoji.map((/** @type {{ name: string, style: string }} */ { name, style }, /** @type {number} */ i) => (
    { name, style, image: context.getImageData((i % columns) * size, Math.floor(i / columns) * size, size, size) }));
}
