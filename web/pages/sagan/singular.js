// SPDX-License-Identifier: MIT
// Computes the singular values of a 2 x 2 matrix.
// @ts-check

/** The four entries, row by row. @typedef {[number, number, number, number]} Matrix */
/** @typedef {[number, number]} Vector */

/** Returns the largest singular value: the square root of the larger eigenvalue of W' W. @param {Matrix} W */
export function largest([a, b, c, d]) {
  const sum = a * a + b * b + c * c + d * d;
  const determinant = a * d - b * c;
  return Math.sqrt((sum + Math.sqrt(Math.max(0, sum * sum - 4 * determinant * determinant))) / 2);
}

/**
 * Performs one power iteration: returns W' W v scaled to length 1, or v itself if the product is zero.
 * @param {Matrix} W
 * @param {Vector} v
 * @returns {Vector}
 */
export function round([a, b, c, d], [x, y]) {
  const [p, q] = [a * x + b * y, c * x + d * y];
  const [s, t] = [a * p + c * q, b * p + d * q];
  const size = Math.hypot(s, t);
  return size > 0 ? [s / size, t / size] : [x, y];
}
