// SPDX-License-Identifier: MIT
// Translates the sentences of a page's scripts. The code contains the English sentences: phrase`Row ${row} of ${rows}`. The head of a page
// in another language contains a table (web/tools/frame.js) that maps each English sentence to its translation, for example "Row {} of {}"
// to "{1}행 중 {0}행".
// @ts-check

/** Letters and digits whose Korean pronunciation ends in a consonant. Characters whose pronunciation ends in ㄹ come first. */
const CLOSED = '178lrLR036mnMN';
/**
 * In Unicode, Hangul syllables form groups of 28, ordered by final consonant. The first syllable of a group has no final consonant, and the
 * syllable at index 8 ends in ㄹ.
 */
const [ENDINGS, RIEUL] = [28, 8];

/**
 * Returns the form of a Korean particle that fits the preceding value: 을/를, 은/는, 이/가, 과/와, 으로/로, 이에요/예요.
 *
 * @param {string} value
 * @param {string} pair  the form after a consonant, then the form after a vowel
 */
function particle(value, pair) {
  const last = value.match(/[\p{L}\p{N}]/gu)?.at(-1) ?? '';
  const [closed, open] = pair.split('/');
  const at = CLOSED.indexOf(last);
  const end = /[가-힣]/.test(last)
    ? (last.charCodeAt(0) - 0xac00) % ENDINGS
    : last && at >= 0
      ? at < 7
        ? RIEUL
        : 1
      : Number(/\p{L}ng\P{L}*$/iu.test(value)); // king: 킹
  return end === 0 || (end === RIEUL && closed === '으로') ? open : closed;
}

/**
 * @param {Record<string, string>} table  maps each English sentence to its translation, in which {0} is the first value and {0:을/를} is the
 *   first value followed by the fitting particle
 * @returns {(english: TemplateStringsArray | string, ...values: unknown[]) => string}  a template tag. The tag can also be called as a
 *   function to translate a string that is defined elsewhere
 */
export const phrasesIn =
  (table) =>
  (english, ...values) => {
    const parts = [english].flat();
    return (
      table[parts.join('{}')]?.replace(
        /\{(\d)(?::([^}]+))?\}/g,
        (_, n, pair) => `${values[n]}${pair ? particle(String(values[n]), pair) : ''}`,
      ) ?? String.raw({ raw: parts }, ...values)
    );
  };

/** The table of translations as JSON; undefined on English pages and outside a page. */
export const words = globalThis.document?.getElementById('words-of-page')?.textContent;

export const phrase = phrasesIn(JSON.parse(words ?? '{}'));

/**
 * Returns the address of a page. If that page exists in the language of the current page, returns the address of that version.
 *
 * @param {string} name name of the page's folder; '' for the front page
 */
export const pageAt = (name) => new URL(`../../${phrase(name && `pages/${name}/`)}`, import.meta.url).href;
