// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns the number of neighbouring codes on either side that affect the samples of a code. The decoder begins with a convolution with
 * three taps. For each stride, in reverse order, the decoder then has residual units with dilations 1, 3, 9, ... and a transposed
 * convolution with two taps.
 *
 * @param {number[]} strides
 * @param {number} units
 */
export function reachOf(strides, units) {
  let reach = 0; // counted in samples of the output at first; after each stride, in positions before the upsampling by this stride
  for (const stride of strides) reach = 1 + Math.floor((reach + stride / 2) / stride) + (3 ** units - 1) / 2;
  return reach + 1;
}
