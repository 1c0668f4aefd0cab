// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Translates the sentences that the element shows. The sentences are in English unless a table such as words/de.js or words/ko.js
 * translates them. A table maps each English sentence to its translation; a sentence that is missing stays in English.
 */

/** A sentence that may contain placeholders, and a value for each placeholder. Each value is a string, or a pair: one or more numbers, and
 * the number of decimals to show.
 * @typedef {[sentence: string, values?: Record<string, string | [number | number[], digits: number]>]} Saying */

/**
 * A table of translations. `lang`: its language, as an HTML language tag, which determines the format of numbers.
 * @typedef {{ lang: string } & Record<string, string>} Words
 */

/** @type {Words} */
let words = { lang: 'en' };

/** Returns the current table. */
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
  // A sentence or a name may come from a file or an address. Object.hasOwn() ensures that {constructor} matches no inherited property.
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
