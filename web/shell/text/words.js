// SPDX-License-Identifier: MIT
// Tokens as the pages write them: a space and a line break can be seen.
// @ts-check

/** A token by itself, for people. @param {string} text @param {string} [empty] the sign of one that has no text */
export const visible = (text, empty = '·') => (text === '' ? empty : text.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replace(/^ /, '␣').replace(/ /g, '␣'));

/** Odds, from certain down to one in many. @param {number} odds 0..1 */
export function share(odds) {
  if (odds >= 0.9995) return '100%';
  if (odds >= 0.0995) return `${Math.round(100 * odds)}%`;
  if (odds >= 0.0005) return `${(100 * odds).toFixed(1)}%`;
  return '<0.1%';
}
