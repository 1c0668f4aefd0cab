// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Pre-tokenizers split a text before byte pairs are merged. `tokenizer.ggml.pre` names the pre-tokenizer with which a model was trained;
 * with another pre-tokenizer, the model would receive tokens that it did not see in training. Each pre-tokenizer is a list of regular
 * expressions. The first expression splits the text into its matches and the parts between them, the second one splits each of these
 * pieces, and so on.
 */

import { NextPixelError } from '../../../base/error.js';

// White space as Unicode defines it. In JavaScript \s includes U+FEFF and excludes U+0085.
const SPACE = '\\p{White_Space}';
const BLACK = '\\P{White_Space}';

// Matches a run of white space without its last character, which belongs to the next word. At the end of the text, matches the whole run.
const RUN = `${SPACE}+(?!${BLACK})`;

/** The expression of GPT-2. It matches English contractions. It also matches words, numbers and runs of other characters, each with the
 * space before it. */
const WORDS = `'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|${RUN}`;

/**
 * Returns an expression that matches punctuation together with the line breaks after it, and a word together with one punctuation character
 * before it.
 * @param {string} digits
 */
const lines = (digits) =>
  `'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}` +
  `| ?[^${SPACE}\\p{L}\\p{N}]+[\\r\\n]*|${SPACE}*[\\r\\n]+|${RUN}|${SPACE}+`;

/**
 * The expression of o200k. It matches a word as uppercase letters, then lowercase letters, then possibly a contraction. Slashes, like line
 * breaks, belong to the punctuation before them.
 */
const HIGH = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOW = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const SHORT = "(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?";
const CASES = [`${HIGH}*${LOW}+`, `${HIGH}+${LOW}*`].map((word) => `[^\\r\\n\\p{L}\\p{N}]?${word}${SHORT}`).join('|');
const O200K = `${CASES}|\\p{N}{1,3}| ?[^${SPACE}\\p{L}\\p{N}]+[\\r\\n/]*|${SPACE}*[\\r\\n]+|${RUN}|${SPACE}+`;

const BREAK = '[\\r\\n]';
const EAST_ASIAN = '[\\u{4e00}-\\u{9fa5}\\u{800}-\\u{4e00}\\u{ac00}-\\u{d7ff}]+';

/** Letters of scripts with upper and lower case, as deepseek-llm defines them. Each entry is a range: its first and its last letter. */
const CASED = [
  'AZ',
  'az',
  'µµ',
  'ÀÖ',
  'Øö',
  'øƺ',
  'Ƽƿ',
  'Ǆʓ',
  'ʕʯ',
  'Ͱͳ',
  'Ͷͷ',
  'ͻͽ',
  'ͿͿ',
  'ΆΆ',
  'ΈΊ',
  'ΌΌ',
  'ΎΡ',
  'Σϵ',
  'Ϸҁ',
  'Ҋԯ',
  'ԱՖ',
  'ႠჅ',
  'ᎠᏵ',
  'ᏸᏽ',
  'ᲐᲺ',
  'ᲽᲿ',
  'ᴀᴫ',
  'ᵫᵷ',
  'ᵹᶚ',
  'Ḁἕ',
  'ἘἝ',
  'ἠὅ',
  'ὈὍ',
  'ὐὗ',
  'ὙὙ',
  'ὛὛ',
  'ὝὝ',
  'Ὗ\u1f7d',
  'ᾀᾴ',
  'ᾶᾼ',
  '\u1fbe\u1fbe',
  'ῂῄ',
  'ῆῌ',
  'ῐ\u1fd3',
  'ῖ\u1fdb',
  'ῠῬ',
  'ῲῴ',
  'ῶῼ',
  'ℂℂ',
  'ℇℇ',
  'ℊℓ',
  'ℕℕ',
  'ℙℝ',
  'ℤℤ',
  '\u2126\u2126',
  'ℨℨ',
  '\u212aℭ',
  'ℯℴ',
  'ℹℹ',
  'ℼℿ',
  'ⅅⅉ',
  'ⅎⅎ',
  'Ↄↄ',
  'Ⰰⱻ',
  'Ȿⳤ',
  'Ⳬⳮ',
  'Ⳳⳳ',
  'Ꙁꙭ',
  'Ꚁꚛ',
  'Ꜣꝯ',
  'ꝱꞇ',
  'Ꞌꞎ',
  'ꭰꮿ',
  'ﬀﬆ',
  'ﬓﬗ',
  'ＡＺ',
  'ａｚ',
  '𐐀𐑏',
  '𐒰𐓓',
  '𐓘𐓻',
  '𐲀𐲲',
  '𐳀𐳲',
  '𑢠𑣟',
  '𞤀𞥃',
];
const cased = CASED.map((pair) => [...pair].join('-')).join('');

/** @type {Record<string, string[]>} */
const EXPRESSIONS = {
  'gpt-2': [WORDS],
  mpt: [WORDS],
  starcoder: ['\\p{N}', WORDS],
  refact: ['\\p{N}', WORDS],
  smollm: ['\\p{N}', WORDS],
  falcon: ['[\\p{P}$+<=>\\^~\\|`]+', WORDS, '[0-9]{3}'],
  default: ['[\\p{P}$+<=>\\^~\\|]+', WORDS, '\\p{N}+', '[0-9]{3}'],
  'llama-bpe': [lines('\\p{N}{1,3}')],
  qwen2: [lines('\\p{N}')],
  'gpt-4o': [O200K],
  'deepseek-llm': [
    BREAK,
    `${SPACE}?[${cased}]+`,
    `${SPACE}?[!-\\/:-~\\u{ff01}-\\u{ff0f}\\u{ff1a}-\\u{ff5e}\\u{2018}-\\u{201f}\\u{3000}-\\u{3002}]+`,
    `(?<!${SPACE})${SPACE}+$`, // matches only from the beginning of a run; otherwise each position of the run would be tried
    EAST_ASIAN,
    '\\p{N}+',
  ],
  'deepseek-coder': [BREAK, `${SPACE}?\\p{L}+`, `${SPACE}?\\p{P}+`, EAST_ASIAN, '\\p{N}'],
};

/** The pre-tokenizer for files that do not name one. */
export const DEFAULT = 'default';

/** For each pre-tokenizer, the other names that files use for it. */
const OTHER_NAMES = {
  'gpt-2': ['phi-2', 'jina-es', 'jina-de', 'jina-v2-es', 'jina-v2-de', 'gigachat', 'roberta-bpe', 'a.x-4.0', 'mellum', 'exaone4'],
  mpt: ['olmo', 'jais', 'trillion'],
  starcoder: ['command-r', 'codeshell', 'exaone', 'minerva-7b'],
  'llama-bpe': ['llama3', 'llama-v3', 'falcon3', 'falcon-h1', 'pixtral', 'midm-2.0', 'lfm2'],
  'llama-3-like': ['dbrx', 'smaug-bpe', 'chatglm-bpe', 'glm4'],
  qwen2: ['deepseek-r1-qwen', 'stablelm2', 'megrez', 'hunyuan'],
  'gpt-4o': ['llama4', 'kanana2'],
};
EXPRESSIONS['llama-3-like'] = EXPRESSIONS['llama-bpe']; // the same splits as Llama 3, but not its other rules

const NAMES = new Map(Object.entries(OTHER_NAMES).flatMap(([own, names]) => names.map((name) => [name, own])));

/**
 * Returns the key in `EXPRESSIONS` for the name of a pre-tokenizer.
 *
 * @param {string} name  the name in the file
 * @returns {string | undefined} undefined if the name is unknown
 */
export function cutOf(name) {
  return Object.hasOwn(EXPRESSIONS, name) ? name : NAMES.get(name);
}

/** Returns all names of pre-tokenizers that a file may use. */
export const names = () => [...Object.keys(EXPRESSIONS).filter((name) => name !== 'llama-3-like'), ...NAMES.keys()];

/**
 * Returns whether the pre-tokenizer first composes the text (Unicode NFC), as Qwen's pre-tokenizer does.
 * @param {string} name  name of the pre-tokenizer in the file
 */
export const composes = (name) => name === 'qwen2' || name === 'deepseek-r1-qwen';

/**
 * @param {string | undefined} cut  a name from cutOf()
 * @param {string} name  name of the pre-tokenizer in the file, for errors
 * @returns {(text: string) => Generator<string[], void, void>} consecutive pieces whose concatenation is the text
 */
export function splitter(cut, name = String(cut)) {
  if (cut === undefined || !Object.hasOwn(EXPRESSIONS, cut)) {
    const problem =
      `A text cannot be cut for this model (tokenizer.ggml.pre: ${JSON.stringify(name.slice(0, 40))} is not one of the supported pre-tokenizers: ` +
      `${names().join(', ')}). Use token ids instead of text, or another file`;
    return () => {
      throw new NextPixelError('unsupported', problem);
    };
  }
  const expressions = EXPRESSIONS[cut].map((source) => new RegExp(source, 'gu'));
  return function* (text) {
    try {
      if (text) yield* cuts(expressions, text);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      // Regular expression engines store state for each character of a run, so a run of many millions exhausts their memory.
      throw new NextPixelError('limit', 'The text has a word of millions of characters: cut it into shorter texts', { cause });
    }
  };
}

/** `PIECES`: number of pieces returned per chunk. `LONG`: a piece with more characters than this is split separately, in chunks. */
const PIECES = 1024;
const LONG = 4096;

/**
 * Splits a text by the first expression, and each piece by the other expressions.
 *
 * @param {RegExp[]} expressions
 * @param {string} text
 * @returns {Generator<string[], void, void>}
 */
function* cuts([expression, ...others], text) {
  /** @type {string[]} */
  let pieces = [];
  let done = 0;
  for (let over = false; !over; ) {
    expression.lastIndex = done; // other code may have moved the position of the expression in the meantime
    const match = text.length > 1 ? expression.exec(text) : null;
    over = !match;
    const from = done;
    done = match ? match.index + match[0].length : text.length;
    for (const piece of match ? [text.slice(from, match.index), match[0]] : [text.slice(from)]) {
      if (others.length > 0 && piece.length > LONG) {
        yield pieces;
        pieces = [];
        yield* cuts(others, piece);
      } else if (piece) {
        let parts = [piece];
        for (const other of others) parts = parts.flatMap((part) => divided(other, part));
        for (const part of parts) pieces.push(part);
      }
    }
    if (pieces.length < PIECES) continue;
    yield pieces;
    pieces = [];
  }
  yield pieces;
}

/** Returns the matches of an expression, and the strings between them. @param {RegExp} expression @param {string} text */
function divided(expression, text) {
  if (text.length === 1) return [text];
  const pieces = [];
  let done = 0;
  expression.lastIndex = 0;
  for (let match; (match = expression.exec(text)); ) {
    if (match.index > done) pieces.push(text.slice(done, match.index));
    pieces.push(match[0]);
    done = expression.lastIndex;
  }
  if (done < text.length) pieces.push(text.slice(done));
  return pieces;
}
