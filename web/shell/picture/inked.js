// SPDX-License-Identifier: MIT
// A digit as an RGBA picture in the inks of the page, to be saved.
// @ts-check
import { blank } from '../library.js';
import { SIDE } from './digits.js';
import { palette } from './palette.js';

/** @param {string} css 'rgb(r g b)' @returns {number[]} */
const parsed = (css) => (css.match(/\d+/g) ?? []).map(Number);

/** Greys in the inks of the page: the given part in one, the drawn part in the other.
 * @param {Uint8Array} values @param {number} known @param {number} filled */
export function inked(values, known, filled) {
  const { known: black, predicted } = palette();
  const picture = blank(SIDE, SIDE);
  for (let i = 0; i < filled; i++) picture.data.set([...parsed((i < known ? black : predicted)[values[i]]), 255], 4 * i);
  return picture;
}
