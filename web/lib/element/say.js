// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The sentences of the element, in English or translated by a table: words/de.js and words/ko.js are such tables. A table maps each English
 * sentence to a translation; missing sentences stay English.
 */

/** A sentence with placeholders, and their values: a text, or one or several numbers and their decimals.
 * @typedef {[sentence: string, values?: Record<string, string | [number | number[], digits: number]>]} Saying */

/**
 * `lang`: the language of the table, a tag as in HTML, which determines the format of numbers. @typedef {{ lang: string } & Record<string,
 * string>} Words
 */

/** @type {Words} */
let words = { lang: 'en' };

/** The current table. */
export const spoken = () => words;

/** @param {Words} table */
export function speak(table) {
  words = table;
}

/** @param {number} value @param {number} digits */
const written = (value, digits) =>
  value.toLocaleString(words.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });

/** @param {string | Saying} what */
export function say(what) {
  const [sentence, values = {}] = typeof what === 'string' ? [what] : what;
  // Sentences and names may come from a file or an address: {constructor} must not match an inherited property.
  return (Object.hasOwn(words, sentence) ? words[sentence] : sentence).replace(/\{(\w+)\}/g, (place, name) => {
    const value = Object.hasOwn(values, name) ? values[name] : place;
    return typeof value === 'string'
      ? value
      : [value[0]]
          .flat()
          .map((one) => written(one, value[1]))
          .join(', ');
  });
}
