// SPDX-License-Identifier: MIT
// Computes the marginals of a chain of bits, one bit per character. Each marginal combines a message from the left and a message from the
// right, as in src/attention/segments.h. Messages are log-odds. This file does not use the DOM.
// @ts-check

/** @typedef {number[][]} Transitions scores A[from][to]; bit 1 means that the character is attended to */

/** @param {number} x */
export const sigma = (x) => 1 / (1 + Math.exp(-x));
/** @param {number} p */
export const logit = (p) => Math.log(p) - Math.log1p(-p);
/** log(1 + e^x) @param {number} x */
const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/** Returns the log-odds that a bit with log-odds x passes to the next bit. @param {Transitions} A @param {number} x */
const told = ([[stay, on], [off, keep]], x) => on - stay + softplus(x + keep - on) - softplus(x + off - stay);
/** @param {Transitions} A @returns {Transitions} */
const turned = ([[stay, on], [off, keep]]) => [
  [stay, off],
  [on, keep],
];

/** Returns the log-odds that each bit receives from the left and from the right. @param {number[]} theta @param {Transitions} A */
function messages(theta, A) {
  const [before, behind] = [theta.map(() => 0), theta.map(() => 0)];
  for (let i = 1; i < theta.length; i++) before[i] = told(A, theta[i - 1] + before[i - 1]);
  for (let i = theta.length - 2; i >= 0; i--) behind[i] = told(turned(A), theta[i + 1] + behind[i + 1]);
  return { before, behind };
}

/** Returns p(z_i = 1) for every bit. @param {number[]} theta scores @param {Transitions} A */
export function marginals(theta, A) {
  const { before, behind } = messages(theta, A);
  return theta.map((one, i) => sigma(one + before[i] + behind[i]));
}

/** Returns the transitions multiplied by a factor. @param {Transitions} A @param {number} times */
export const times = (A, times) => A.map((row) => row.map((one) => times * one));

/**
 * Extracts neighbouring bits of a chain as a separate chain with the same probabilities. The new scores of the bits include the messages
 * from the bits outside, and the part of the transition scores that depends on one bit only. The rest of the transition scores becomes
 * `stick`, a score for equal neighbours.
 *
 * @param {number[]} theta
 * @param {Transitions} A
 * @param {number} from index of the first bit
 * @param {number} count
 */
export function part(theta, A, from, count) {
  const { before, behind } = messages(theta, A);
  const [[stay, on], [off, keep]] = A;
  const stick = (stay + keep - on - off) / 2;
  const scores = theta
    .slice(from, from + count)
    .map((one, i) => one + (i === 0 ? before[from] : on - stay + stick) + (i === count - 1 ? behind[from + i] : off - stay + stick));
  return { scores, stick };
}

/**
 * Returns the runs of adjacent characters that each have a probability of at least one half.
 *
 * @param {ArrayLike<number>} p
 * @returns {{ from: number, to: number }[]}
 */
export function segmentsOf(p) {
  /** @type {{ from: number, to: number }[]} */
  const found = [];
  for (let i = 0; i < p.length; i++) {
    if (p[i] < 0.5) continue;
    if (found.at(-1)?.to === i) /** @type {{ to: number }} */ (found.at(-1)).to++;
    else found.push({ from: i, to: i + 1 });
  }
  return found;
}
