// SPDX-License-Identifier: MIT
// @ts-check

/** From elements to pixels: pure functions, apart from generation. The same elements give the same pixels. */

/** @typedef {{ data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number }} Picture  RGBA */

/**
 * Writes the pixels that elements from..to-1 complete; a pixel of three channels appears with its last one.
 *
 * @param {Uint8ClampedArray} rgba  (pixels, 4) written
 * @param {Uint8Array} elements     (pixels, channels), known up to `to`
 * @param {number} from
 * @param {number} to
 * @param {number} channels         1 or 3
 */
export function paint(rgba, elements, from, to, channels) {
  const end = Math.floor(to / channels);
  for (let pixel = Math.floor(from / channels); pixel < end; pixel++) {
    const at = pixel * channels;
    rgba[4 * pixel] = elements[at];
    rgba[4 * pixel + 1] = elements[at + (channels > 1 ? 1 : 0)];
    rgba[4 * pixel + 2] = elements[at + (channels > 1 ? 2 : 0)];
    rgba[4 * pixel + 3] = 255;
  }
}

/**
 * The picture of some or all elements of an image; pixels that are not complete are transparent.
 *
 * @param {Uint8Array} elements  the first ones, in generation order
 * @param {{ width: number, height: number, channels: number }} shape
 * @returns {Picture} an ImageData where there is such a thing
 */
export function picture(elements, { width, height, channels }) {
  const image = blank(width, height);
  paint(image.data, elements, 0, elements.length, channels);
  return image;
}

/**
 * @param {number} width
 * @param {number} height
 * @returns {Picture}
 */
export function blank(width, height) {
  if (typeof ImageData === 'function') return /** @type {Picture} */ (new ImageData(width, height));
  return { data: new Uint8ClampedArray(4 * width * height), width, height };
}
