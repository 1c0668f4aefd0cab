// SPDX-License-Identifier: MIT
// Computes the layout and the tints of a card's pictures. Both the live drawings on the page and the stills use this module.
// @ts-check

/** Number of pictures in a row. */
const COLUMNS = 3;
/** Gap between two pictures, in pixels. */
const GAP = 2;

/** Arranges the pictures of a card. @param {number} samples @param {{ width: number, height: number }} size size of each picture */
export function layout(samples, { width, height }) {
  const cols = Math.min(COLUMNS, samples);
  const rows = Math.ceil(samples / cols);
  return {
    width: cols * (width + GAP) - GAP,
    height: rows * (height + GAP) - GAP,
    /** @param {number} sample */
    at: (sample) => ({ left: (sample % cols) * (width + GAP), top: Math.floor(sample / cols) * (height + GAP) }),
  };
}

/**
 * Returns the point on the heat ramp, from 0 to 1, that gives a pixel its tint.
 *
 * @param {number} ahead  number of earlier pixels that the same pass of the model drew
 */
export const shareOf = (ahead) => (ahead === 0 ? 0.72 : 0.32 - 0.03 * ahead);
