// SPDX-License-Identifier: MIT
// Displays tokens with visible spaces and line breaks.
// @ts-check

/**
 * Returns the text that stands for a single token on the page.
 * @param {string} text
 * @param {string} [empty] symbol for a token without text
 */
export const visible = (text, empty = '·') =>
  text === '' ? empty : text.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replace(/^ /, '␣').replace(/ /g, '␣');

/** Formats a probability for a column of probabilities. @param {number} p 0..1 */
export function share(p) {
  if (p >= 0.9995) return '100%';
  if (p >= 0.0995) return `${Math.round(100 * p)}%`;
  if (p >= 0.0005) return `${(100 * p).toFixed(1)}%`;
  return '<0.1%';
}
