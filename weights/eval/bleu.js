// SPDX-License-Identifier: MIT
// Computes the BLEU of a corpus [Papineni, Roukos, Ward and Zhu 2002, "BLEU: a method for automatic evaluation of machine translation"].
// With its default options, sacrebleu gives the same result [Post 2018, "A call for clarity in reporting BLEU scores"]:
//
//   BLEU = 100 exp( min(0, 1 - reference length / translation length) + 1/4 sum_{n=1..4} log p_n )
//
// p_n is the fraction of the translations' n-grams that also occur in a reference of the same sentence. An n-gram counts at most as often
// as it occurs in the reference that repeats it most. If a sentence has several references, its reference length is the one closest to the
// length of the translation; a tie goes to the shorter reference. "Exp" smoothing replaces the count of an order without a matching n-gram,
// which is 0: it becomes 1/2 for the first such order, 1/4 for the next one, and so on. BLEU is 0 if no word matches or if every
// translation has fewer than four words.
//
// weights/train/common/bleu.py is the Python version. tests/js/bleu.json has test cases for both.
// @ts-check

const ORDERS = 4;

/** White space as defined by Python's str.split(), which sacrebleu uses. */
const BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const LAST_BLANKS = new RegExp(`${BLANKS.source}$`);

/**
 * Splits a sentence into words by the rules of mteval-v13a. The rules first replace a few SGML entities with characters. Then the
 * following characters become separate words: symbols, dashes after a digit, and full stops and commas that are not between two digits.
 * @param {string} text
 */
export function words(text) {
  const plain = text
    .replace(LAST_BLANKS, '')
    .replaceAll('<skipped>', '')
    .replaceAll('-\n', '')
    .replaceAll('\n', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
  return ` ${plain} `
    .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ')
    .split(BLANKS)
    .filter((word) => word !== '');
}

/** Counts the occurrences of each n-gram in a sentence. @param {string[]} tokens @param {number} n */
function grams(tokens, n) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (let i = 0; i + n <= tokens.length; i++) {
    const gram = tokens.slice(i, i + n).join(' '); // words contain no spaces, so joined n-grams are unique
    found.set(gram, (found.get(gram) ?? 0) + 1);
  }
  return found;
}

/**
 * @typedef {Object} Counts
 * @property {number[]} correct          for each order, the number of n-grams in the translations that also occur in a reference
 * @property {number[]} total            for each order, the number of n-grams in the translations
 * @property {number} length             number of words in the translations
 * @property {number} referenceLength    sum of the reference lengths of the sentences, in words
 */

/**
 * Computes BLEU from the counts.
 * @param {Counts} counts
 * @returns {number} 0..100
 */
export function bleuOf({ correct, total, length, referenceLength }) {
  if (correct[0] === 0 || total[ORDERS - 1] === 0) return 0;
  let logs = 0,
    half = 1;
  for (let n = 0; n < ORDERS; n++) {
    if (correct[n] === 0) half /= 2;
    logs += Math.log((correct[n] || half) / total[n]) / ORDERS;
  }
  return 100 * Math.exp(Math.min(0, 1 - referenceLength / length) + logs);
}

/**
 * Computes the BLEU of translations.
 * @param {string[]} translations
 * @param {(string | string[])[]} references  one or several references for each translation
 * @param {{ lowercase?: boolean }} [options]
 */
export function bleu(translations, references, { lowercase = false } = {}) {
  if (translations.length !== references.length) throw new Error(`${translations.length} translations, ${references.length} references`);
  /** @type {Counts} */
  const counts = { correct: Array(ORDERS).fill(0), total: Array(ORDERS).fill(0), length: 0, referenceLength: 0 };
  const wordsOf = (/** @type {string} */ text) => words(lowercase ? text.toLowerCase() : text);
  translations.forEach((translation, i) => {
    const own = wordsOf(translation),
      others = [references[i]].flat().map(wordsOf);
    if (others.length === 0) throw new Error(`translation ${i} has no reference`);
    counts.length += own.length;
    counts.referenceLength += others
      .map((other) => other.length)
      .reduce((a, b) => ((Math.abs(b - own.length) - Math.abs(a - own.length) || b - a) < 0 ? b : a));
    for (let n = 1; n <= ORDERS; n++) {
      const there = others.map((other) => grams(other, n));
      for (const [gram, times] of grams(own, n)) {
        counts.total[n - 1] += times;
        counts.correct[n - 1] += Math.min(times, Math.max(...there.map((other) => other.get(gram) ?? 0)));
      }
    }
  });
  return { score: bleuOf(counts), ...counts };
}
