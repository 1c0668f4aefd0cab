// SPDX-License-Identifier: MIT
// Measures the structural dissimilarity of two pictures. The measure compares the mean, the spread and the pattern of values in each
// window.
// @ts-check

/** WINDOW: side of a window in pixels. C1, C2: constants of Wang et al. 2004 for values up to 255. */
const WINDOW = 8,
  C1 = (0.01 * 255) ** 2,
  C2 = (0.03 * 255) ** 2;

/** Returns the luma of each RGB pixel. @param {ArrayLike<number>} rgb */
const lumaOf = (rgb) =>
  Float64Array.from({ length: rgb.length / 3 }, (_, i) => 0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2]);

/**
 * Returns 1 - SSIM [Wang, Bovik, Sheikh and Simoncelli 2004] of the lumas, averaged over all 8 by 8 windows. The result is 0 for equal
 * pictures and about 1 for unrelated pictures.
 *
 * @param {ArrayLike<number>} one    RGB values
 * @param {ArrayLike<number>} other
 * @param {number} width
 */
export function distance(one, other, width) {
  const [a, b] = [lumaOf(one), lumaOf(other)];
  const height = a.length / width;
  let [sum, windows] = [0, 0];
  for (let y = 0; y + WINDOW <= height; y++) {
    for (let x = 0; x + WINDOW <= width; x++, windows++) {
      let [meanA, meanB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
      for (let i = 0; i < WINDOW * WINDOW; i++) {
        const at = (y + Math.floor(i / WINDOW)) * width + x + (i % WINDOW);
        meanA += a[at];
        meanB += b[at];
        squaresA += a[at] ** 2;
        squaresB += b[at] ** 2;
        products += a[at] * b[at];
      }
      const n = WINDOW * WINDOW;
      [meanA, meanB] = [meanA / n, meanB / n];
      const [varianceA, varianceB, covariance] = [squaresA / n - meanA ** 2, squaresB / n - meanB ** 2, products / n - meanA * meanB];
      sum += ((2 * meanA * meanB + C1) * (2 * covariance + C2)) / ((meanA ** 2 + meanB ** 2 + C1) * (varianceA + varianceB + C2));
    }
  }
  return 1 - sum / windows;
}
