// SPDX-License-Identifier: MIT
// @ts-check

/** Converts elements to pixels with pure functions, which do not draw. The same elements give the same pixels. */

/** @import { Codec } from '../media/codec.js' */

/** @typedef {{ data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number }} Picture  RGBA */

/**
 * Writes elements at their positions. A pixel of three channels appears when its third channel is written.
 *
 * @param {Uint8ClampedArray} rgba  shape (pixels, 4); the function writes to this array
 * @param {Codec} codec
 * @param {number} from             index of the first element, in generation order
 * @param {Uint8Array} elements
 * @internal
 */
export function paint(rgba, codec, from, elements) {
  const { channels } = codec.info;
  elements.forEach((value, i) => {
    const place = codec.place(from + i);
    const channel = place % channels;
    const at = 4 * ((place - channel) / channels);
    if (channels === 1) rgba.fill(value, at, at + 3);
    else rgba[at + channel] = value;
    if (channel === channels - 1) rgba[at + 3] = 255;
  });
}

/**
 * Returns the picture of some or all elements of an image; incomplete pixels are transparent.
 *
 * @param {Codec} codec
 * @param {Uint8Array} elements  the first elements, in generation order
 * @returns {Picture} an ImageData if the environment has this class
 * @internal
 */
export function picture(codec, elements) {
  const image = blank(codec.info.width, codec.info.height);
  paint(image.data, codec, 0, elements);
  return image;
}

/**
 * @param {number} width
 * @param {number} height
 * @returns {Picture}
 * @internal
 */
export function blank(width, height) {
  if (typeof ImageData === 'function') return /** @type {Picture} */ (new ImageData(width, height));
  return { data: new Uint8ClampedArray(4 * width * height), width, height };
}
