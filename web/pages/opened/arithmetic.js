// SPDX-License-Identifier: MIT
// Repeats the engine's arithmetic one number at a time. The functions use single precision, the order of summation of src/kernels and
// src/attention, and the engine's own exponential function. A JavaScript double holds the product or sum of two single-precision numbers so
// precisely that rounding it to single precision gives the correctly rounded result. Math.fround after each operation therefore gives the
// same bits as the engine, in every browser. A test checks that the logits equal those of the engine.
// @ts-check

const f = Math.fround;
const bits = new Int32Array(1);
const float = new Float32Array(bits.buffer);

/**
 * Constants from src/kernels/elementary.h: 1 / ln 2; ln 2, split into two parts; and 1.5 * 2^23. Adding the last constant to a number
 * rounds the number to an integer, which is then in the low bits of the sum.
 */
const [PER_LN2, LN2_HIGH, LN2_LOW, SHIFT] = [0x1715476 / 2 ** 24, 0x162e4 / 2 ** 17, 0x17f7d1c / 2 ** 44, 1.5 * 2 ** 23];
/** Coefficients of r^6 down to r^0 in the Taylor series of e^r. The coefficient of r^7 is in exp(). */
const TAYLOR = [1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5, 1, 1].map(f);

/** Returns e^x, or 0 for x below -87. @param {number} x single */
export function exp(x) {
  if (x < -87) return 0;
  const sum = f(f(Math.min(x, 88) * PER_LN2) + SHIFT);
  const n = f(sum - SHIFT);
  const r = f(f(n * -LN2_LOW) + f(f(n * -LN2_HIGH) + Math.min(x, 88)));
  let p = f(1 / 5040);
  for (const term of TAYLOR) p = f(f(p * r) + term);
  float[0] = sum;
  bits[0] = (bits[0] << 23) + 0x3f800000;
  return f(p * float[0]);
}

/**
 * Adds numbers in four partial sums: term i goes to sum i mod 4. Adds the four sums at the end.
 *
 * @param {number} count
 * @param {(i: number) => number} number
 */
function lanes(count, number) {
  const sums = [0, 0, 0, 0];
  for (let i = 0; i < count; i++) sums[i % 4] = f(sums[i % 4] + number(i));
  return f(f(sums[0] + sums[2]) + f(sums[1] + sums[3]));
}

/**
 * Returns bias + a_0 b_0 + a_1 b_1 + ..., added in this order.
 *
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @param {number} [bias]
 */
export function dot(a, b, bias = 0) {
  let sum = bias;
  for (let i = 0; i < a.length; i++) sum = f(f(a[i] * b[i]) + sum);
  return sum;
}

/**
 * Returns the dot product of a query and a key. Even and odd channels are summed separately.
 *
 * @param {ArrayLike<number>} q
 * @param {ArrayLike<number>} k
 */
export function compare(q, k) {
  let [even, odd] = [0, 0];
  for (let i = 0; i < q.length; i += 2) {
    even = f(f(k[i] * q[i]) + even);
    odd = f(f(k[i + 1] * q[i + 1]) + odd);
  }
  return f(even + odd);
}

/**
 * Returns e^(x - largest) for each x, divided by the sum of these powers. For x = -Infinity the result is 0.
 *
 * @param {ArrayLike<number>} row
 */
export function softmax(row) {
  const top = Array.from(row).reduce((a, b) => Math.max(a, b), -Infinity);
  const e = Float32Array.from(row, (x) => exp(f(x - (top === -Infinity ? 0 : top))));
  const total = lanes(e.length, (i) => e[i]);
  const scale = total === 0 ? 0 : f(1 / total);
  return e.map((x) => x * scale);
}

/**
 * (x - mean) / sqrt(variance + epsilon) * weight + bias
 *
 * @param {ArrayLike<number>} x
 * @param {ArrayLike<number>} weight
 * @param {ArrayLike<number>} bias
 * @param {number} epsilon
 */
export function norm(x, weight, bias, epsilon) {
  const per = f(1 / x.length);
  const mean = f(lanes(x.length, (i) => x[i]) * per);
  const centred = Float32Array.from(x, (one) => one - mean);
  const variance = f(lanes(x.length, (i) => f(centred[i] * centred[i])) * per);
  const scale = f(1 / f(Math.sqrt(f(variance + f(epsilon)))));
  return { mean, scale, row: centred.map((one, i) => f(f(one * scale) * weight[i]) + bias[i]) };
}

/** Returns 1 / sqrt(k), the factor for scores. @param {number} k */
export const scaleOf = (k) => f(1 / f(Math.sqrt(k)));

/** max(x, 0) @param {number} x */
export const relu = (x) => (x < 0 ? 0 : x);

/** x / (1 + e^(-2 sqrt(2 / pi) (x + 0.044715 x^3))) @param {number} x */
export const gelu = (x) => f(x / f(1 + exp(f(f(x * f(f(f(0.044715) * f(x * x)) + 1)) * f(-1.5957691216057308)))));

/**
 * Returns element i of the encoding of position p in a model of width d [Vaswani 2017, section 3.5].
 * @param {number} p
 * @param {number} i
 * @param {number} d
 */
export function wave(p, i, d) {
  const angle = p * 10000 ** (-(i - (i % 2)) / d);
  return f(i % 2 ? Math.cos(angle) : Math.sin(angle));
}
