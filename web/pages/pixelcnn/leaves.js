// SPDX-License-Identifier: MIT
// Defines the masks of PixelCNN.
// @ts-check

/**
 * Returns whether a mask keeps the tap that is this many rows below and columns to the right of the predicted pixel. The mask keeps earlier
 * pixels and, for mask B, the pixel itself.
 *
 * @param {'A' | 'B'} kind
 * @param {number} down
 * @param {number} right
 */
export const leaves = (kind, down, right) => down < 0 || (down === 0 && (right < 0 || (right === 0 && kind === 'B')));
