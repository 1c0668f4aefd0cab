// SPDX-License-Identifier: MIT
// Describes an attention head by the relation between query and key that has the largest weight, such as "one before". This file does not
// use the DOM.
// @ts-check
import { percent } from '../../shell/page/words.js';
import { phrase } from '../../shell/page/phrase.js';

/** A head is described by a relation only if the relation gets at least this fraction of the head's weight. */
const LEAST = 0.3;

/**
 * @param {ArrayLike<number>[]} weights one row of weights per query
 * @param {string} kind "encoder": the sentence attends to itself. "source": the translation attends to the sentence. "attention": the
 *   translation attends to itself; its input is shifted by one
 * @returns {string} such as "one before 71%"
 */
export function relation(weights, kind) {
  const rows = weights.filter((row) => row.length > 0);
  if (rows.length === 0) return '';
  /**
   * Takes one weight from each row, in the column that `column` returns, and returns the mean of these weights.
   *
   * @param {(i: number, row: ArrayLike<number>) => number} column
   */
  const share = (column) => rows.reduce((sum, row, i) => sum + (row[column(i, row)] ?? 0), 0) / rows.length;
  const end = (/** @type {number} */ _, /** @type {ArrayLike<number>} */ row) => row.length - 1;
  /** @type {[number, (share: string) => string][]} */
  const relations =
    kind === 'encoder'
      ? [
          [share((i) => i), (p) => phrase`itself ${p}`],
          [share((i) => i - 1), (p) => phrase`one before ${p}`],
          [share((i) => i + 1), (p) => phrase`one after ${p}`],
          [share(end), (p) => phrase`the end ${p}`],
        ]
      : kind === 'attention'
        ? [
            [share((i) => i), (p) => phrase`last word ${p}`],
            [share((i) => i - 1), (p) => phrase`one before it ${p}`],
            [share(() => 0), (p) => phrase`the start ${p}`],
          ]
        : [
            [share(end), (p) => phrase`the end ${p}`],
            [rows.reduce((sum, row) => sum + Math.max(0, ...Array.from(row).slice(0, -1)), 0) / rows.length, (p) => phrase`one word ${p}`],
          ];
  const [most, name] = relations.reduce((best, one) => (one[0] > best[0] ? one : best));
  if (most >= LEAST) return name(percent(most));
  const entropy =
    rows.reduce((sum, row) => sum - Array.from(row).reduce((all, p) => all + (p > 0 ? p * Math.log(p) : 0), 0), 0) / rows.length;
  return phrase`over ${Math.exp(entropy).toFixed(0)} tokens`;
}
