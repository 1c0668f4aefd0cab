// SPDX-License-Identifier: MIT
// Renders a digit as an RGBA picture in the page's ink colours, so that it can be saved.
// @ts-check
import { blank } from '../library.js';
import { SIDE } from './digits.js';
import { palette } from './palette.js';

/** @param {string} css 'rgb(r g b)' @returns {number[]} */
const parsed = (css) => (css.match(/\d+/g) ?? []).map(Number);

/** Renders grey values in the page's ink colours: one ink for the given part and another for the drawn part.
 * @param {Uint8Array} values @param {number} known @param {number} filled */
export function inked(values, known, filled) {
  const { known: black, predicted } = palette();
  const picture = blank(SIDE, SIDE);
  for (let i = 0; i < filled; i++) picture.data.set([...parsed((i < known ? black : predicted)[values[i]]), 255], 4 * i);
  return picture;
}
