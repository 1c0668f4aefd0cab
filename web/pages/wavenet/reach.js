// SPDX-License-Identifier: MIT
// The samples that a sample depends on through layers of two taps.
// @ts-check

/**
 * The positions that a sample at the top depends on, for each layer from the input up.
 * @param {number} at
 * @param {number[]} dilations of the layers, the lowest first
 */
export function lit(at, dilations) {
  const rows = [new Set([at])];
  for (const d of dilations.toReversed()) rows.unshift(new Set([...rows[0]].flatMap((t) => (t >= d ? [t, t - d] : [t]))));
  return rows;
}
