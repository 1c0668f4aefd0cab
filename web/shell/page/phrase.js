// SPDX-License-Identifier: MIT
// The sentences of a page's scripts. The English sentences are in the code: phrase`Row ${row} of ${rows}`. A page in another language
// carries a table in its head (web/tools/frame.js), which maps each English sentence to a translation: "Row {} of {}": "{1}행 중 {0}행".
// @ts-check

/** Letters and digits whose Korean reading ends in a consonant; those that end in ㄹ come first. */
const CLOSED = '178lrLR036mnMN';
/** Hangul syllables are in groups of 28, by final consonant: index 0 is none, index 8 is ㄹ. */
const [ENDINGS, RIEUL] = [28, 8];

/**
 * Returns the one of two particles that fits a value: 을/를, 은/는, 이/가, 과/와, 으로/로, 이에요/예요.
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
 * @param {Record<string, string>} table  the translation of each English sentence. {0} is the first value, {0:을/를} the value with the
 *   particle that fits it
 * @returns {(english: TemplateStringsArray | string, ...values: unknown[]) => string}  a template tag; called as a function, it translates
 *   a text that is defined elsewhere
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

/** Undefined on an English page, and outside a page. */
export const words = globalThis.document?.getElementById('words-of-page')?.textContent;

export const phrase = phrasesIn(JSON.parse(words ?? '{}'));

/** Returns the address of a page, in this page's language if it exists. @param {string} name of its folder; '': the front page */
export const pageAt = (name) => new URL(`../../${phrase(name && `pages/${name}/`)}`, import.meta.url).href;
