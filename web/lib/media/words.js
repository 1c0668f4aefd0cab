// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Splits a text into words, as in the English Web Treebank of Universal Dependencies:
 *
 * - White space separates words. Invisible characters are removed (typed.js).
 * - Web addresses, email addresses and file names stay whole; a full stop or bracket after such a word is a separate word.
 * - Hashtags, mentions, fractions (1½) and amounts (US$) are one word each.
 * - A punctuation mark is a word; a run of identical marks is one word ("...", "!!"). The same applies to $, %, # and /, except in numbers
 *   and dates (9/11, 1,000, 3.5, 10:30). An emoji with its skin tone and joiners is one word. A smiley, an arrow, a run of ! and ?, and
 *   forms such as AT&T, w/o and C++ are one word each.
 * - Contractions are split, even several in one word: do n't, it 's, should n't 've, can not, gon na, wan na, got ta.
 * - Compounds are split at their hyphens (search - engine), except after prefixes that are not words (e-mail, co-workers, non-commercial)
 *   and in numbers.
 * - A full stop belongs to a known abbreviation (Mr., U.S., p.m.) or an initial ("J. Smith", but not "So do I. We know"); otherwise it is a
 *   word.
 * - A form that is a single word in the training sentences, such as l/c or ^_^, stays whole.
 *
 * No pattern looks more than a few hundred characters beyond its match, so the time is linear in the length of the text.
 */

import { APOSTROPHES, EMOJI, straight, visible } from '../base/typed.js';

/** @param {string} source  source of a pattern that is matched at one position, ignoring case */
const at = (source) => new RegExp(source, 'iuy');

const A = `[${APOSTROPHES}]`;
/** Matches if neither a letter nor a digit follows. */
const ENDS_HERE = '(?![\\p{L}\\p{M}\\d])';
const LABEL = '[\\p{L}\\d](?:[\\p{L}\\d_-]{0,61}[\\p{L}\\d])?';
/** Top-level domains. Country domains that are also English words (in, is, it, me, no, so, to, us) are excluded. */
const DOMAINS =
  '(?:com|org|net|edu|gov|mil|int|info|biz|name|museum|io|ai|app|dev|xyz|online|shop|site|tech|cloud|blog|news|tv|uk|de|fr|nl|eu|ca|au|jp|cn|ru|br|' +
  'es|ch|se|dk|fi|pl|cz|gr|pt|ie|nz|za|kr|mx|ar|cl|tr|ua|hu|ro|bg|hr|rs|sk|il|hk|sg|tw)';
const FILES =
  '(?:txt|docx?|xlsx?|pptx?|pdf|csv|html?|php|xml|json|ya?ml|md|jpe?g|png|gif|svg|webp|mp[34]|wav|avi|mov|zip|gz|exe|dll|js|ts|py|cpp|url|gguf)';

const LETTERS = at(`[\\p{L}\\p{M}\\d_]+(?:${A}[\\p{L}\\p{M}]+)*`);
const SIGNS = at('([^\\p{L}\\p{M}\\d\\s])\\1*');
const PLAIN = at('[\\p{L}\\p{M}\\d_]+(?=\\s|$)');
/** An address, possibly with punctuation marks of the sentence at its end. trimmed() removes these marks. */
const ADDRESS = at(
  `(?:(?:https?|ftps?|file|wss?):\\/\\/|www\\d?\\.)[^\\s<>"]+|(?:${LABEL}\\.){1,8}${DOMAINS}(?::\\d{1,5})?${ENDS_HERE}(?![@-])(?:[/?#][^\\s<>"]*)?`,
);
/** An address recognised by its form: at least three labels in lowercase, separated by dots. */
const NAMES = new RegExp(`(?:[a-z\\d][a-z\\d-]{1,62}\\.){2,8}[a-z]{2,24}${ENDS_HERE}(?:[/?#][^\\s<>"]*)?`, 'uy');
const MAIL = at(`(?:mailto:)?[\\p{L}\\d_][\\p{L}\\d._%+-]{0,63}@${LABEL}(?:\\.${LABEL}){0,8}`);
/**
 * Patterns that match only at the beginning of a word, not after a letter or a digit: hashtags, mentions, file name extensions, and
 * decimals without a leading zero.
 */
const TAGS = at(
  `#[\\d_]{0,20}\\p{L}[\\p{L}\\p{M}\\d_]*|@[\\p{L}\\d_](?:[\\p{L}\\p{M}\\d_.]{0,61}[\\p{L}\\p{M}\\d_])?|\\.${FILES}${ENDS_HERE}|[+-]?\\.\\d+${ENDS_HERE}`,
);
/** A capital letter with a full stop, which may be an initial. */
const INITIAL = new RegExp('\\p{Lu}\\.(?=\\s+(\\p{Lu}[\\p{L}\\p{M}]{0,20}))', 'uy');
/** Words that begin sentences but are not names. */
const BEGINS = new RegExp(
  '^(?:the|an?|it|he|she|we|they|you|i|this|that|these|those|there|then|but|and|or|so|if|when|while|what|who|where|how|why|do|does|did|is|are|was|were|has|have|had|can|could|' +
    'would|will|should|may|my|your|his|her|our|their|its|not|no|yes|please|thanks?|in|on|at|for|to|of|from|with|as|by|after|before|because|since|all|some|any|every|however|now|just|let)$',
  'i',
);
/** Abbreviations that may end a sentence. */
const LAST = /^(?:(?:\p{L}\.){2,}|etc\.|inc\.|co\.|corp\.|ltd\.|jr\.|sr\.)$/iu;
const PATTERNS = [
  at(`\\d{1,3}(?:\\.\\d{1,3}){3}(?::\\d{1,5})?${ENDS_HERE}`),
  at(`(?:[\\p{L}\\d_-]{1,63}\\.){1,4}${FILES}${ENDS_HERE}`),
  at('&(?:amp|lt|gt|quot|nbsp|#\\d{1,6});'),
  at(EMOJI.replace(/^\(\?:/, '(') + '\\1*'),
  at(`(?:\\p{L}\\.){2,}(?:\\p{L}${ENDS_HERE})?|\\p{L}\\.\\p{L}${ENDS_HERE}(?!\\.)`),
  at(
    '(?:mr|mrs|ms|dr|st|vs|etc|inc|co|corp|ltd|jr|sr|no|ft|rev|gov|gen|lt|prof|jan|feb|mar|apr|aug|sept?|oct|nov|dec|mon|tues?|wed|thurs?|fri|sat|attn|p\\.s|ph\\.d)\\.',
  ),
  at(`ph\\.d${ENDS_HERE}`),
  // Two numbers with a hyphen between them are two words, except in telephone numbers.
  at('(?:\\d\\d?|\\d{4})(?=-(?:\\d\\d?|\\d{4})(?![\\p{L}\\d:/.,-]))|\\d{3}(?=-\\d{3}(?![\\p{L}\\d:/.,-]))'),
  at('\\d*[\u00bc-\u00be\u2150-\u215e]'), // a number with a fraction, such as one and a half
  at(`[+-]?\\d+(?:[.,]\\d+)+\\p{L}{1,4}${ENDS_HERE}`), // 1.5m, 2.4GHz
  at(`[+-]?\\d+(?:[.,:/-]\\d+)*(?:st|nd|rd|th|s|am|pm)?${ENDS_HERE}`),
  at(`${A}\\d\\ds?${ENDS_HERE}`),
  at(`${A}(?:em|cause|til|bout|tis|twas|s|m|d|re|ve|ll)${ENDS_HERE}`),
  at('(?:e|co|re|pre|non|anti|ex|multi|semi|mid|sub|un|vice|pro|post|socio|x)-[\\p{L}\\d]+'),
  at('(?:us|[uac]|nz|hk)\\$'),
  at(`w\\/(?:o(?:ut)?${ENDS_HERE})?|b\\/[ct]${ENDS_HERE}`),
  at(`(?:c\\+\\+|[cf]#)${ENDS_HERE}`),
  new RegExp('\\p{Lu}{1,4}(?:&\\p{Lu}{1,4}){1,3}(?![\\p{L}\\d])', 'uy'),
  LETTERS,
  at(`(?:>?[:;=]${A}?[-^o]?(?:[)\\]}]{1,8}|[(\\[{|*$]{1,8}|[dpox3/\\\\]${ENDS_HERE})|<\\/?3+${ENDS_HERE}|[(\\[][-^]?[:;=](?![\\p{L}\\d]))`),
  at('\\^[_.-]?\\^|[<=]?-{1,8}>|<[=-]{1,8}|={1,8}>|[!?]*(?:!\\?|\\?!)[!?]*|\\.[!?]{1,8}(?!\\.)|!\\.(?!\\.)'),
  SIGNS,
];
/** Words that are split, with the number of letters of the first part. @type {Record<string, number>} */
const TWO = { cannot: 3, gonna: 3, wanna: 3, gotta: 3, gimme: 3, lemme: 3, "c'mon": 3, "'tis": 2, "'twas": 2 };
const CONTRACTIONS = new RegExp(`(?:n${A}t|${A}(?:s|m|d|re|ve|ll)){1,4}$`, 'iu');
const CONTRACTION = new RegExp(`n${A}t|${A}[a-z]+`, 'giu');

/** Maximum length of a piece of text. The words of one piece are yielded before the next piece is normalised. */
const PIECE = 1 << 14;
/** The maximum length of a word that is looked up among the words of the training sentences. */
const LONGEST = 24;

/**
 * Yields the words of a text one at a time. Also yields '' after each piece of PIECE characters, so that a caller regains control even if
 * many pieces contain no word.
 *
 * @param {string} text
 * @param {(form: string) => boolean} [knows]  returns whether the training sentences contain this word
 * @returns {Generator<string, void, void>}
 */
export function* wordsIn(text, knows = () => false) {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + PIECE, text.length);
    if (to < text.length) {
      const gap = /\s\S*$/.exec(text.slice(from, to));
      if (gap && gap.index > 0) to = from + gap.index;
      else if (/[\ud800-\udbff]/.test(text[to - 1])) to--;
    }
    const piece = visible(text.slice(from, to));
    for (let place = next(piece, 0); place < piece.length; ) {
      const word = wordAt(piece, place, knows);
      yield* parts(word);
      place = next(piece, place + word.length);
    }
    yield '';
    from = to;
  }
}

/**
 * @param {string} text
 * @param {(form: string) => boolean} [knows]
 * @returns {string[]}
 */
export function cut(text, knows) {
  return [...wordsIn(text, knows)].filter(Boolean);
}

const SPACE = /\s*/y;

/** Returns the position at which the next word begins. @param {string} text @param {number} place */
function next(text, place) {
  SPACE.lastIndex = place;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** @param {RegExp} pattern @param {string} text @param {number} place */
function match(pattern, text, place) {
  pattern.lastIndex = place;
  return pattern.exec(text)?.[0];
}

/**
 * @param {string} text
 * @param {number} place
 * @param {(form: string) => boolean} knows
 */
function wordAt(text, place, knows) {
  const plain = match(PLAIN, text, place);
  if (plain !== undefined) return plain;
  const mail = match(MAIL, text, place);
  if (mail !== undefined) return mail;
  const address = match(ADDRESS, text, place) ?? match(NAMES, text, place);
  if (address !== undefined) return trimmed(address);
  if (!/[\p{L}\p{M}\d]/u.test(text[place - 1] ?? '')) {
    const tag = match(TAGS, text, place) ?? (isInitial(text, place) ? text.slice(place, place + 2) : undefined);
    if (tag !== undefined) return tag;
  }
  const known = knownAt(text, place, knows);
  if (/[+-]/.test(text[place]) && /[\p{L}\d]/u.test(text[place - 1] ?? ''))
    return known || /** @type {string} */ (match(SIGNS, text, place)); // + or - after a letter or digit is not the sign of a number
  for (const pattern of PATTERNS) {
    const word = match(pattern, text, place);
    if (word) return known.length > word.length ? known : endsSentence(word, text, place) ? word.slice(0, -1) : word;
  }
  return known || String.fromCodePoint(/** @type {number} */ (text.codePointAt(place)));
}

/**
 * Returns whether a capital letter and a full stop are an initial ("J. Smith", "George W. Bush") and not the end of a sentence ("So do I.
 * We", "plan B. It").
 *
 * @param {string} text
 * @param {number} place
 */
function isInitial(text, place) {
  INITIAL.lastIndex = place;
  const found = INITIAL.exec(text);
  if (!found || BEGINS.test(found[1])) return false;
  return text[place] !== 'I' || !/(?:^|[^\p{L}])\p{Ll}+\s+$/u.test(text.slice(Math.max(0, place - 30), place));
}

/**
 * Returns whether the full stop of an abbreviation also ends the sentence, as in "apples, etc." and "at 5 p.m. We". Such a full stop is a
 * separate word. Titles are excluded, because names follow them.
 *
 * @param {string} word
 * @param {string} text
 * @param {number} place
 */
function endsSentence(word, text, place) {
  if (!/^.+\p{L}\.$/u.test(word) || /^p\.s\.$/i.test(word)) return false;
  const behind = /^(?:["'\u2019\u201d)\]]*\s*$|["'\u2019\u201d)\]]*\s+(\p{Lu}[\p{L}\p{M}]{0,20})(?![\p{L}\p{M}]))/u.exec(
    text.slice(place + word.length, place + word.length + 40),
  );
  if (!behind) return false;
  return behind[1] === undefined ? place + word.length + 40 > text.length : LAST.test(word) && BEGINS.test(behind[1]);
}

/** Removes marks from the end of an address: marks that end the sentence, and brackets that were opened before the address.
 * @param {string} address */
function trimmed(address) {
  /** The number of brackets in the remaining text that are closed but not opened. @type {Record<string, number>} */
  const closed = {};
  const count = (/** @type {string} */ sign, /** @type {number} */ by) => {
    const kind = KINDS_OF_BRACKETS[sign];
    if (kind !== undefined) closed[kind] = (closed[kind] ?? 0) + (sign === kind ? by : -by);
  };
  for (const sign of address) count(sign, 1);
  let end = address.length;
  for (; end > 1; end--) {
    const last = address[end - 1];
    if (KINDS_OF_BRACKETS[last] === last ? closed[last] <= 0 : !/[.,;:!?'\u2019\u201d\u00bb\u2026*]/.test(last)) break;
    count(last, -1);
  }
  return address.slice(0, end);
}

/** For each opening or closing bracket, the closing bracket of its kind. @type {Record<string, string>} */
const KINDS_OF_BRACKETS = { '(': ')', ')': ')', '[': ']', ']': ']', '{': '}', '}': '}' };

/**
 * Returns the longest word of the training sentences that begins at this position and contains a character that is neither a letter nor a
 * digit; '' if there is no such word.
 *
 * @param {string} text
 * @param {number} place
 * @param {(form: string) => boolean} knows
 */
function knownAt(text, place, knows) {
  const [chunk] = /^\S*/.exec(text.slice(place, place + LONGEST + 1)) ?? [''];
  for (let length = Math.min(chunk.length, LONGEST); length > 1; length--) {
    const form = chunk.slice(0, length);
    // excludes a form that ends within a word
    if (!knows(form) || !/[^\p{L}\p{M}\d]/u.test(form) || /[\p{L}\p{M}\d]{2}/u.test(chunk.slice(length - 1, length + 1))) continue;
    if (CONTRACTIONS.test(form) || /^[^\p{L}\d]*[,"'\u2018-\u201d()]|[,;:!?"'\u2018-\u201d)]$/u.test(form)) continue;
    // Excludes a form that ends with the full stop of the sentence.
    if (form.endsWith('.') && (!/\p{L}/u.test(form) || knows(form.slice(0, -1)))) continue;
    return form;
  }
  return '';
}

/** @param {string} word */
function parts(word) {
  const two = TWO[straight(word.toLowerCase())];
  if (two) return [word.slice(0, two), word.slice(two)];
  const ends = CONTRACTIONS.exec(word);
  if (!ends || /[@/.]/.test(word)) return [word];
  return [word.slice(0, ends.index), ...(ends[0].match(CONTRACTION) ?? [])].filter(Boolean);
}
