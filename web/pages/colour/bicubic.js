// SPDX-License-Identifier: MIT
// Enlarges pictures by bicubic interpolation, which adds no detail.
// @ts-check

/**
 * For each target position, returns four source positions and the weight of each (Catmull-Rom, a = -1/2). Positions are pixel centres; edge
 * pixels are repeated.
 * @param {number} size
 * @param {number} count
 */
const taps = (size, count) =>
  Array.from({ length: count }, (_, i) => {
    const x = ((i + 0.5) * size) / count - 0.5;
    const left = Math.floor(x);
    return [-1, 0, 1, 2].map((k) => {
      const t = Math.abs(x - left - k);
      const weight = t < 1 ? 1.5 * t ** 3 - 2.5 * t ** 2 + 1 : -0.5 * t ** 3 + 2.5 * t ** 2 - 4 * t + 2;
      return { at: Math.min(Math.max(left + k, 0), size - 1), weight };
    });
  });

/**
 * Interpolates along the rows and then along the columns, and rounds once at the end.
 * @param {Uint8Array} picture shape (height, width, channels)
 * @param {{ width: number, height: number, channels: number }} from
 * @param {{ width: number, height: number }} to
 */
export function bicubic(picture, from, to) {
  const columns = taps(from.width, to.width);
  const rows = taps(from.height, to.height);
  const { channels } = from;
  const line = to.width * channels;
  const wide = Float64Array.from({ length: from.height * line }, (_, i) => {
    const row = Math.floor(i / line);
    const taken = columns[Math.floor(i / channels) % to.width];
    return taken.reduce((sum, { at, weight }) => sum + weight * picture[(row * from.width + at) * channels + (i % channels)], 0);
  });
  return Uint8ClampedArray.from({ length: to.height * line }, (_, i) =>
    rows[Math.floor(i / line)].reduce((sum, { at, weight }) => sum + weight * wide[at * line + (i % line)], 0),
  );
}
