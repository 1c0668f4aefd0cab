// SPDX-License-Identifier: MIT
// Displays tokens so that spaces and line breaks are visible.
// @ts-check

/** Returns a single token for display. @param {string} text @param {string} [empty] the sign of a token that has no text */
export const visible = (text, empty = '·') =>
  text === '' ? empty : text.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replace(/^ /, '␣').replace(/ /g, '␣');

/** Returns a probability in the format of a column of probabilities. @param {number} p 0..1 */
export function share(p) {
  if (p >= 0.9995) return '100%';
  if (p >= 0.0995) return `${Math.round(100 * p)}%`;
  if (p >= 0.0005) return `${(100 * p).toFixed(1)}%`;
  return '<0.1%';
}
