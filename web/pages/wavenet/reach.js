// SPDX-License-Identifier: MIT
// Computes which samples affect a given sample through several convolution layers, each with two taps.
// @ts-check

/**
 * For each layer, from the input up, returns the positions that affect the sample at position `at` of the top layer.
 * @param {number} at
 * @param {number[]} dilations dilation of each layer, from the lowest layer up
 */
export function lit(at, dilations) {
  const rows = [new Set([at])];
  for (const d of dilations.toReversed()) rows.unshift(new Set([...rows[0]].flatMap((t) => (t >= d ? [t, t - d] : [t]))));
  return rows;
}
