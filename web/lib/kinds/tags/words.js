// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Cuts a text into words as the English Web Treebank of Universal Dependencies has them:
 *
 * - White space parts words. Addresses of the web and of mail stay whole.
 * - Signs stand alone, equal neighbours together ("...", "!!"); so do $, %, # and /, but for numbers and dates (9/11, 1,000, 3.5, 10:30).
 * - Contractions are cut: do n't, it 's, we 'll, can not, gon na, wan na, got ta.
 * - Compounds are cut at their hyphens (search - engine), but for prefixes that are no words (e-mail, co-workers, non-commercial) and numbers.
 * - A full stop belongs to a known abbreviation (Mr., U.S., p.m.); else it is a word.
 */

const ADDRESS = /^(?:https?:\/\/|www\.|ftp:)\S*[^\s.,;:!?)\]}>"']|^[\w.+-]+@[\w-]+(?:\.[\w-]+)+/iu;
const NUMBER = /^[+-]?\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th|s)?(?![\p{L}\d])/iu;
const ABBREVIATION = /^(?:(?:\p{L}\.){2,}|(?:mr|mrs|ms|dr|st|vs|etc|inc|co|corp|ltd|jr|sr|no|ft|rev|gov|gen|lt|prof|jan|feb|mar|apr|aug|sept?|oct|nov|dec|mon|tues?|wed|thurs?|fri|sat|attn|p\.s|ph\.d)\.)/iu;
const INITIAL = /^\p{Lu}\.(?=\s+\p{Lu})/u;
const PREFIX = /^(?:e|co|re|pre|non|anti|ex|multi|semi|mid|sub|un|vice|pro|post|socio|x)-[\p{L}\d]+/iu;
const LETTERS = /^[\p{L}\p{M}\d_]+(?:['\u2019][\p{L}\p{M}]+)*/u;
const SIGNS = /^(?:([^\p{L}\p{M}\d\s])\1*)/u;
/** Ends of words that are two. */
const ENDS = /^(.+?)(n['\u2019]t|['\u2019](?:s|m|d|re|ve|ll))$/iu;
/** @type {Record<string, number>} letters of the first of two */
const TWO = { cannot: 3, gonna: 3, wanna: 3, gotta: 3 };

/**
 * @param {string} text
 * @returns {string[]}
 */
export function cut(text) {
  /** @type {string[]} */
  const words = [];
  for (let rest = text.trimStart(); rest !== '';) {
    const [word] = ADDRESS.exec(rest) ?? ABBREVIATION.exec(rest) ?? INITIAL.exec(rest) ?? NUMBER.exec(rest) ?? PREFIX.exec(rest) ?? LETTERS.exec(rest) ??
      SIGNS.exec(rest) ?? [String.fromCodePoint(/** @type {number} */ (rest.codePointAt(0)))];
    words.push(...parts(word));
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}

/** @param {string} word */
function parts(word) {
  const two = TWO[word.toLowerCase()];
  if (two) return [word.slice(0, two), word.slice(two)];
  const ends = ENDS.exec(word);
  return ends ? [ends[1], ends[2]] : [word];
}
