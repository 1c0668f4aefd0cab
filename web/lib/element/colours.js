// SPDX-License-Identifier: MIT
// @ts-check

/** Shows grey pictures in the colours of the page. */

import { blank } from '../sinks/pixels.js';

/** @import { Picture } from '../sinks/pixels.js' */

/** @typedef {[number, number, number]} RGB  0 to 255 */

/**
 * Returns the computed colour of an element as numbers.
 *
 * @param {Element} probe
 * @returns {RGB}
 */
export function colourOf(probe) {
  const text = getComputedStyle(probe).color;
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  const scale = text.startsWith('rgb') ? 1 : 255; // a colour that is not rgb(...) has the form color(srgb r g b), with numbers from 0 to 1
  return [red * scale, green * scale, blue * scale];
}

/**
 * Colours a grey picture. The lowest level becomes `paper`; the highest level becomes `ink` at pixels of the input and `drawn` at pixels
 * that the model drew.
 *
 * @param {Picture} grey
 * @param {Picture} given  opaque at the pixels of the input
 * @param {{ paper: RGB, ink: RGB, drawn: RGB }} colours
 * @returns {Picture}
 */
export function coloured({ data, width, height }, given, { paper, ink, drawn }) {
  const image = blank(width, height);
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] === 0) continue;
    const highest = given.data[at + 3] > 0 ? ink : drawn;
    for (let c = 0; c < 3; c++) image.data[at + c] = paper[c] + ((highest[c] - paper[c]) * data[at]) / 255;
    image.data[at + 3] = 255;
  }
  return image;
}
