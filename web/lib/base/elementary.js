// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Elementary functions computed only from sums, products, quotients and square roots, so that their results have the same bits in every
 * JavaScript engine. The last bits of Math.sin() and similar functions differ between engines. Everything that affects a picture, a sound
 * or a result uses the functions of this module.
 */

/**
 * The coefficients of the odd powers of x in the Taylor series of sin(pi x), from the highest power to the lowest: pi^n / n!, with
 * alternating signs. The truncation error is below 1e-13.
 */
const FACTORS = new Float64Array(9);
for (let i = 0, factor = Math.PI; i < FACTORS.length; factor *= -(Math.PI * Math.PI) / ((2 * i + 2) * (2 * i + 3)), i++)
  FACTORS[FACTORS.length - 1 - i] = factor;

/** Returns sin(pi x). @param {number} x  any */
export function sineOfPi(x) {
  const turns = Math.round(x);
  const near = x - turns; // -0.5 to 0.5
  const square = near * near;
  let sum = 0;
  for (let i = 0; i < FACTORS.length; i++) sum = sum * square + FACTORS[i];
  return turns % 2 ? -sum * near : sum * near;
}

/** Returns the arc cosine in half turns (units of pi radians), 0 to 1. @param {number} cosine  -1 to 1 */
export function halfTurns(cosine) {
  if (cosine <= -1) return 1;
  let tangent = Math.sqrt((1 - cosine) / (1 + cosine));
  for (let i = 0; i < 4; i++) tangent /= 1 + Math.sqrt(1 + tangent * tangent); // tangent of half of the previous angle
  const square = tangent * tangent; // below 0.01
  let sum = 0;
  for (let n = 17; n > 0; n -= 2) sum = sum * -square + 1 / n;
  return (32 * tangent * sum) / Math.PI;
}

/** ln 2 as the sum of two parts. The first part has few bits, so its integer multiples are exact. */
const LN2 = [0.69314718036912381649, 1.90821492927058770002e-10];

/** e^x. @param {number} x */
export function exp(x) {
  if (Number.isNaN(x)) return NaN;
  if (x < -746) return 0;
  if (x > 710) return Infinity;
  const twos = Math.round(x / Math.LN2);
  const rest = x - twos * LN2[0] - twos * LN2[1];
  let sum = 1;
  for (let n = 14; n > 0; n--) sum = 1 + (sum * rest) / n;
  for (let left = Math.abs(twos), power = twos < 0 ? 0.5 : 2; left > 0; left = Math.floor(left / 2), power *= power)
    if (left % 2) sum *= power;
  return sum;
}

/** Returns the length of a vector. @param {ArrayLike<number>} vector */
export function lengthOf(vector) {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i] * vector[i];
  return Math.sqrt(sum);
}
