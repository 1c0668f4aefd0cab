// SPDX-License-Identifier: MIT
// @ts-check

/** Splits a text into its sentences, because translation models were trained on single sentences and drop any further sentence. */

/** English and German abbreviations that do not end a sentence, because a name, a number or another word follows. */
const SHORT =
  /^(?:mr|mrs|ms|dr|prof|st|sr|jr|hr|fr|frl|dipl|ing|gen|col|capt|lt|sgt|rev|hon|sen|rep|gov|vs|etc|usw|bzw|ca|ggf|evtl|inkl|nr|no|abb|abs|art|bd|bspw|s|vgl|sog|tel|str|z|u|d|h|o|a|e|i|g|b|p|m|jan|feb|mar|apr|aug|sept?|okt|oct|nov|dez|dec|mo|di|mi|do|sa|so|fig|vol|approx|inc|ltd|co|corp|geb|gest|jh|jhd|mio|mrd|st)$/iu;
/** The end of a sentence: a punctuation mark with any closing quotes and brackets, then white space; or a Chinese or Japanese mark; or an
 * empty line. */
const ENDS =
  /((?<![.!?\u2026])[.!?\u2026]+["'\u201c\u201d\u2019\u00ab\u00bb\u2039\u203a)\]]*)\s+|[\u3002\uff01\uff1f]+["'\u201d\u300d\u300f\uff09]*\s*|\n[^\S\n]*\n\s*/gu;
/** The beginning of a sentence: optional opening quotes, then a digit or a letter that is not lower case. */
const BEGINS = /^["'\u201e\u201a\u201c\u2018\u00bb\u00ab\u203a\u2039([\u00bf\u00a1-]*[\p{Lu}\p{Lt}\p{Lo}\d]/u;
/**
 * Words that begin a new sentence if they follow a number with a full stop. Before any other word, the number is an ordinal, as in "am 3.
 * Mai".
 */
const STARTS =
  /^["'\u201e\u201c\u00bb]*(?:der|die|das|ein|eine|er|sie|es|wir|ihr|ich|du|dies\p{L}*|und|aber|dann|danach|heute|the|an?|he|she|it|we|they|you|i|this|that|then|but|and)(?!\p{L})/iu;

/**
 * Returns the sentences of a text, in order, without the white space between them.
 *
 * @param {string} text
 * @returns {string[]} empty for an empty text
 */
export function sentencesIn(text) {
  /** @type {string[]} */
  const found = [];
  let from = 0;
  for (const { 0: all, 1: marks, index } of text.matchAll(ENDS)) {
    const next = index + all.length;
    if (marks !== undefined) {
      const rest = text.slice(next, next + 40);
      if (!BEGINS.test(rest)) continue;
      const [word = ''] = /[\p{L}\d]*$/u.exec(text.slice(Math.max(from, index - 24), index)) ?? [];
      if (marks[0] === '.' && marks[1] !== '.') {
        if (SHORT.test(word) || /^\p{Lu}$/u.test(word)) continue;
        if (/^\d{1,2}$/.test(word) && !STARTS.test(rest)) continue;
      }
    }
    found.push(text.slice(from, next).trim());
    from = next;
  }
  found.push(text.slice(from).trim());
  return found.filter(Boolean);
}
