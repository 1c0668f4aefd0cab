// SPDX-License-Identifier: MIT
// Computes which samples a sample depends on through layers with two taps.
// @ts-check

/**
 * Returns, for each layer from the input up, the positions that a sample at the top depends on.
 * @param {number} at
 * @param {number[]} dilations dilation of each layer, the lowest first
 */
export function lit(at, dilations) {
  const rows = [new Set([at])];
  for (const d of dilations.toReversed()) rows.unshift(new Set([...rows[0]].flatMap((t) => (t >= d ? [t, t - d] : [t]))));
  return rows;
}
