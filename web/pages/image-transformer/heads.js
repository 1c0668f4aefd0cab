// SPDX-License-Identifier: MIT
// Converts the result of model.attention() to one number per earlier pixel: the share of the attention that this pixel gets, for one head
// or as the mean of all heads.
// @ts-check

/** @import { AttentionMap } from '../../shell/index.js' */

/**
 * @typedef {Object} Heat
 * @property {(i: number) => number} share for a pixel, returns sqrt(weight / largest weight), which is from 0 to 1, or NaN if the query
 *   cannot attend to the pixel. The square root makes small weights visible
 * @property {number} most largest weight of any pixel
 * @property {number} start weight of the start symbol
 */

/**
 * @param {AttentionMap[]} maps attention of one pixel. Several maps are averaged; they must have the same keys
 * @returns {Heat}
 */
export function heatOf(maps) {
  const [{ keys }] = maps;
  const length = keys.length;
  const shares = new Float32Array(length);
  for (const { weights } of maps) for (let k = 0; k < length; k++) shares[k] += weights[k] / maps.length;
  const started = keys[0] < 0; // the start symbol is the first key
  let most = 0;
  /** @type {Map<number, number>} */
  const at = new Map();
  for (let k = started ? 1 : 0; k < length; k++) {
    at.set(keys[k], shares[k]);
    most = Math.max(most, shares[k]);
  }
  return {
    most,
    start: started ? shares[0] : 0,
    share: (i) => {
      const share = at.get(i);
      return share === undefined ? NaN : most > 0 ? Math.sqrt(share / most) : 0;
    },
  };
}

/**
 * Returns the two ranges of pixels that the query pixel can attend to, as raster indices: the memory before the query's block, and the
 * pixels of this block that come before the query pixel. Position p of the input holds pixel p - 1, because the input is shifted by one.
 * @param {AttentionMap} map map of any head
 * @param {number} queryBlock 0 if there are no blocks and all earlier pixels are visible
 * @returns {{ memory: [number, number], own: [number, number] }}
 */
export function windowOf({ keys }, queryBlock) {
  const to = keys[keys.length - 1] + 1;
  const first = Math.max(0, keys[0]);
  const block = queryBlock > 0 ? Math.floor(to / queryBlock) * queryBlock : 0;
  const split = Math.min(to, Math.max(first, block - 1));
  return { memory: [first, split], own: [split, to] };
}
