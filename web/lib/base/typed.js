// SPDX-License-Identifier: MIT
// @ts-check

/** Normalises typed text. Models of words and sentences were trained on plain characters, but people paste text from word processors and
 * phones. Every kind of model that takes sentences normalises them with this module.
 *
 * A prompt of a language model is not normalised, because the model reads every character. `stop`, `oneOf` and `logitBias` are not
 * normalised either, because they must match exact characters. For example, they may contain code, which normalisation would change. If the
 * tokenizer composes text (NFC), `stop` and `logitBias` are composed too. Names (labels, speakers, tags, languages) must be exact; the
 * error for an unknown name lists the valid names. */

/** Matches one emoji, including its skin tone and all characters joined to it. A flag, a keycap or a family is one emoji. */
export const EMOJI =
  '(?:\\p{Regional_Indicator}{2}|[#*\\d]\\uFE0F?\\u20E3|\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|\\uFE0F)?[\\u{E0020}-\\u{E007F}]*' +
  '(?:\\u200D\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|\\uFE0F)?)*)';

/** The characters that people type as an apostrophe. */
export const APOSTROPHES = "'\\u2018-\\u201b\\u2032\\u02bc\\u00b4`\\uff07";

const UNSEEN = new RegExp(`(${EMOJI})|\\ufeff|(?!\\s)[\\p{Default_Ignorable_Code_Point}\\p{Cc}]`, 'gu');
/** Full-width letters and punctuation (without quotes), ligatures, and hyphens that look like the hyphen on keyboards. */
const WIDE = /[\uff01\uff03-\uff06\uff08-\uff5e\ufb00-\ufb06]/g;
const HYPHENS = /[\u2010\u2011\u2212]/g;
/** Replaces full-width characters with the characters on keyboards. @param {string} text */
const narrow = (text) => text.replace(WIDE, (sign) => sign.normalize('NFKC')).replace(HYPHENS, '-');

const SINGLE = new RegExp(`[${APOSTROPHES}\\u2039\\u203a]`, 'g');

/** Removes invisible characters, except within an emoji; composes letters with their marks; and replaces full-width letters and special
 * hyphens with the characters on keyboards. @param {string} text */
export function visible(text) {
  return narrow(
    text
      .replaceAll('\u0085', ' ')
      .replace(UNSEEN, (_, emoji = '') => emoji)
      .normalize('NFC'),
  );
}

/** Replaces typographic quotes and apostrophes, full-width letters and special hyphens with the characters on keyboards.
 * @param {string} text */
export function straight(text) {
  return narrow(text)
    .replace(/[\u201c-\u201f\u00ab\u00bb\u2033\uff02]/g, '"')
    .replace(SINGLE, "'");
}

/** Normalises text with visible() and straight(), as the training data was normalised. @param {string} text */
export const plain = (text) => straight(visible(text));

/** Normalises a sentence like plain(), and reduces white space to single spaces. @param {string} text */
export const sentenceOf = (text) => plain(text).trim().replace(/\s+/g, ' ');
