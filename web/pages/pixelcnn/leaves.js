// SPDX-License-Identifier: MIT
// Defines the masks of PixelCNN.
// @ts-check

/**
 * Returns whether a mask keeps a kernel tap. The tap is `down` rows below and `right` columns to the right of the predicted pixel. Both
 * masks keep the taps on earlier pixels; mask B also keeps the tap on the predicted pixel itself.
 *
 * @param {'A' | 'B'} kind
 * @param {number} down
 * @param {number} right
 */
export const leaves = (kind, down, right) => down < 0 || (down === 0 && (right < 0 || (right === 0 && kind === 'B')));
