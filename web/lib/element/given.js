// SPDX-License-Identifier: MIT
// @ts-check

/** @import { AnyModel } from '../model/of-kind.js' */

/**
 * Returns the small picture from which super-resolution starts, enlarged to the size of the result.
 *
 * @param {AnyModel} model
 * @param {Uint8Array} input  shape (inputHeight, inputWidth, channels)
 * @returns {Uint8Array} the elements of a picture, in generation order
 */
export function enlarged({ info, order }, input) {
  const { width, height, channels, inputWidth, inputHeight } = info;
  const positionElements = (width * height * channels) / order.length;
  return Uint8Array.from({ length: width * height * channels }, (_, element) => {
    const place = order[Math.floor(element / positionElements)] * positionElements + (element % positionElements);
    const pixel = Math.floor(place / channels);
    const row = Math.floor((Math.floor(pixel / width) * inputHeight) / height);
    const column = Math.floor(((pixel % width) * inputWidth) / width);
    return input[(row * inputWidth + column) * channels + (place % channels)];
  });
}
