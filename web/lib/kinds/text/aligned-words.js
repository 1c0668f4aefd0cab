// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Represents a translation and its source sentence as words, with the attention between them. aligned-sheet.js draws these words on a
 * canvas, and aligned-page.js shows them as HTML text.
 */

/** A word or a punctuation mark: its text, its tokens, and whether it follows the previous word without a space.
 * @typedef {{ text: string, tokens: number[], tight: boolean }} Word */

/**
 * A weight is drawn only if it is at least LEAST_WEIGHT, and at least LEAST_SHARE of the word's largest weight. Without these limits, many
 * small weights would be drawn, because the weights are sums over many heads.
 */
const LEAST_WEIGHT = 0.04;
const LEAST_SHARE = 1 / 3;
/** The character that is shown for the end token of the sentence. */
export const END = '\u2022';

/**
 * Appends a token to a list of words. White space begins a new word, and a punctuation mark such as a full stop is a separate word.
 *
 * @param {Word[]} words
 * @param {string} text
 * @param {number} token
 */
export function append(words, text, token) {
  const last = words[words.length - 1];
  const sign = /^[.,;:!?…]/.test(text);
  if (last && !sign && !/^\s/.test(text)) {
    last.text += text;
    last.tokens.push(token);
  } else {
    words.push({ text: text.trimStart(), tokens: [token], tight: sign });
  }
}

/** Returns the words of a sentence. @param {string[]} texts  the texts of its tokens, including the end token @returns {Word[]} */
export function sourceOf(texts) {
  /** @type {Word[]} */
  const words = [];
  texts.forEach((text, i) => append(words, text === '' && i === texts.length - 1 ? ` ${END}` : text, i));
  return words;
}

/**
 * Returns the words of the sentence to which a word of the translation attends. Leaves out words whose weights are too small to be drawn.
 *
 * @param {Word} word
 * @param {Word[]} source
 * @param {ArrayLike<number>[]} rows  the weights of each token of the translation over the tokens of the sentence
 * @returns {{ at: number, weight: number }[]}
 */
export function looksOf(word, source, rows) {
  const weights = source.map((other) => weightOf(word, other, rows));
  const least = Math.max(LEAST_WEIGHT, LEAST_SHARE * Math.max(...weights));
  return weights.flatMap((weight, at) => (weight >= least ? [{ at, weight }] : []));
}

/**
 * Returns the attention of `word`, a word of the translation, to `other`, a word of the sentence. The weights are summed over the tokens of
 * `other` and averaged over the tokens of `word`.
 *
 * @param {Word} word
 * @param {Word} other
 * @param {ArrayLike<number>[]} rows
 */
function weightOf(word, other, rows) {
  let sum = 0;
  for (const token of word.tokens) for (const key of other.tokens) sum += rows[token][key] ?? 0;
  return Math.min(1, sum / word.tokens.length); // the sum can exceed 1 for tokens that are only parts of characters
}

/** Returns the style of a band for a weight, given the font size. @param {number} weight @param {number} size */
export const bandOf = (weight, size) => ({ alpha: 0.12 + 0.6 * weight, width: Math.max(1, 0.6 * size * weight) });
