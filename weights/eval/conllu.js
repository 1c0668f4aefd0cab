// SPDX-License-Identifier: MIT
// Reads treebanks, to evaluate models that predict the tag or the head of each word. A treebank is either a CoNLL-U file or a
// table of words and annotations.
// @ts-check

/** @import { DataSet } from './held-out.js' */

/**
 * Reads the sentences of a treebank. Each line describes one word in columns separated by tabs: either the ten columns of CoNLL-U, or the
 * word and its annotations. In CoNLL-U, ranges such as 1-2, empty nodes such as 1.1 and comments are skipped. A blank line ends a sentence.
 * A byte order mark, CRLF, and comments without a space after the # are accepted.
 *
 * @param {string} text
 * @returns {{ rows: string[][], first: string }[]}  first: the first line of the text, for error messages
 */
export function readSentences(text) {
  const lines = text.replace(/^\ufeff/, '').replaceAll('\r', '');
  return lines
    .split(/\n(?:[ \t]*\n)+/)
    .map((block) => {
      const kept = block
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('# ') && !(line.startsWith('#') && !line.includes('\t')));
      const rows = kept.map((line) => line.split('\t')).filter((row) => row.length !== 10 || /^\d+$/.test(row[0]));
      return { rows, first: kept[0] ?? '' };
    })
    .filter(({ rows }) => rows.length > 0);
}

/** Known treebanks and their held-out parts. @type {DataSet[]} */
export const DATA_SETS = [
  { dataset: /\bEnglish Web Treebank\b/, data: 'build/ewt-test.tsv', make: 'python3 weights/train/held_out.py ud_ewt build/ewt-test' },
];
