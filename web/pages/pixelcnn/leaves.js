// SPDX-License-Identifier: MIT
// Defines the masks of PixelCNN.
// @ts-check

/**
 * Tells whether a mask keeps the tap at this many rows down and columns right of the predicted pixel: earlier pixels and, with mask B, the
 * pixel itself.
 *
 * @param {'A' | 'B'} kind
 * @param {number} down
 * @param {number} right
 */
export const leaves = (kind, down, right) => down < 0 || (down === 0 && (right < 0 || (right === 0 && kind === 'B')));
