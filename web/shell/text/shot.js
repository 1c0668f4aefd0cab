// SPDX-License-Identifier: MIT
// Converts a canvas with text to a picture that can be saved.
// @ts-check
import { blank, palette } from '../index.js';
/** @import { Shot } from '../index.js' */

/**
 * Draws the contents of a canvas on a background in the page's paper colour.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {string} name name to display
 * @param {string} file file name without its extension
 * @returns {Shot[]} empty if the canvas shows nothing
 */
export function shotOf(canvas, name, file) {
  const { width, height } = canvas;
  if (width === 0 || height === 0) return [];
  const margin = Math.round(16 * devicePixelRatio);
  const sheet = new OffscreenCanvas(width + 2 * margin, height + 2 * margin);
  const context = sheet.getContext('2d');
  if (!context) return [];
  context.fillStyle = palette().paper;
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.drawImage(canvas, margin, margin);
  const picture = blank(sheet.width, sheet.height);
  picture.data.set(context.getImageData(0, 0, sheet.width, sheet.height).data);
  return [{ name, file, picture, order: [] }];
}
