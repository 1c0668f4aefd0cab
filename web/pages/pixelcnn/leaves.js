// SPDX-License-Identifier: MIT
// The masks of PixelCNN.
// @ts-check

/**
 * Whether a mask leaves the tap that is so many rows down and columns right of the pixel that is predicted: what comes before it, and with
 * mask B the pixel's own place.
 *
 * @param {'A' | 'B'} kind
 * @param {number} down
 * @param {number} right
 */
export const leaves = (kind, down, right) => down < 0 || (down === 0 && (right < 0 || (right === 0 && kind === 'B')));
