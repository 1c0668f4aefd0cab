// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Pre-tokenizers, which split a text before byte pairs are merged, by the names of `tokenizer.ggml.pre`: a model was trained with one of
 * them, and any other would give it unfamiliar tokens. Each is a list of expressions. The first splits the text into its matches and the
 * parts between them, the next one each of these pieces, and so on.
 */

import { NextPixelError } from '../../../base/error.js';

// White space as Unicode defines it. In JavaScript \s includes U+FEFF and excludes U+0085.
const SPACE = '\\p{White_Space}';
const BLACK = '\\P{White_Space}';

// All white space of a run except the last character, which belongs to the next word; at the end of the text, all of it.
const RUN = `${SPACE}+(?!${BLACK})`;

/** English contractions, words, numbers and the rest, each with the space before it: GPT-2's. */
const WORDS = `'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|${RUN}`;

/** Line breaks belong to the signs before them, and any single sign belongs to the following word. @param {string} digits */
const lines = (digits) =>
  `'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}` +
  `| ?[^${SPACE}\\p{L}\\p{N}]+[\\r\\n]*|${SPACE}*[\\r\\n]+|${RUN}|${SPACE}+`;

/** Words of o200k: capitals before small letters, with the contraction after them; a slash belongs to line breaks. */
const HIGH = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOW = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const SHORT = "(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?";
const CASES = [`${HIGH}*${LOW}+`, `${HIGH}+${LOW}*`].map((word) => `[^\\r\\n\\p{L}\\p{N}]?${word}${SHORT}`).join('|');
const O200K = `${CASES}|\\p{N}{1,3}| ?[^${SPACE}\\p{L}\\p{N}]+[\\r\\n/]*|${SPACE}*[\\r\\n]+|${RUN}|${SPACE}+`;

const BREAK = '[\\r\\n]';
const EAST_ASIAN = '[\\u{4e00}-\\u{9fa5}\\u{800}-\\u{4e00}\\u{ac00}-\\u{d7ff}]+';

/** Letters of scripts with case, by the definition of deepseek-llm: pairs of first and last. */
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
    `(?<!${SPACE})${SPACE}+$`, // only at the beginning of a run: otherwise it is tried at each position
    EAST_ASIAN,
    '\\p{N}+',
  ],
  'deepseek-coder': [BREAK, `${SPACE}?\\p{L}+`, `${SPACE}?\\p{P}+`, EAST_ASIAN, '\\p{N}'],
};

/** The pre-tokenizer of a file that names none. */
export const DEFAULT = 'default';

/** Other names of these pre-tokenizers in files, with the name used here. */
const OTHER_NAMES = {
  'gpt-2': ['phi-2', 'jina-es', 'jina-de', 'jina-v2-es', 'jina-v2-de', 'gigachat', 'roberta-bpe', 'a.x-4.0', 'mellum', 'exaone4'],
  mpt: ['olmo', 'jais', 'trillion'],
  starcoder: ['command-r', 'codeshell', 'exaone', 'minerva-7b'],
  'llama-bpe': ['llama3', 'llama-v3', 'falcon3', 'falcon-h1', 'pixtral', 'midm-2.0', 'lfm2'],
  'llama-3-like': ['dbrx', 'smaug-bpe', 'chatglm-bpe', 'glm4'],
  qwen2: ['deepseek-r1-qwen', 'stablelm2', 'megrez', 'hunyuan'],
  'gpt-4o': ['llama4', 'kanana2'],
};
EXPRESSIONS['llama-3-like'] = EXPRESSIONS['llama-bpe']; // its splits, without the other rules of Llama 3

const NAMES = new Map(Object.entries(OTHER_NAMES).flatMap(([own, names]) => names.map((name) => [name, own])));

/**
 * The splits of that name, by the name used here.
 *
 * @param {string} name  as in a file
 * @returns {string | undefined} undefined: they are not known
 */
export function cutOf(name) {
  return Object.hasOwn(EXPRESSIONS, name) ? name : NAMES.get(name);
}

/** The names that are known. */
export const names = () => [...Object.keys(EXPRESSIONS).filter((name) => name !== 'llama-3-like'), ...NAMES.keys()];

/** Returns whether a text is composed (Unicode NFC) first, by the pre-tokenizer's name in the file, as for Qwen. @param {string} name */
export const composes = (name) => name === 'qwen2' || name === 'deepseek-r1-qwen';

/**
 * @param {string | undefined} cut  in the form of cutOf()
 * @param {string} name  as the file does
 * @returns {(text: string) => Generator<string[], void, void>} consecutive pieces whose concatenation is the text
 */
export function splitter(cut, name = String(cut)) {
  if (cut === undefined || !Object.hasOwn(EXPRESSIONS, cut)) {
    const problem =
      `A text cannot be cut for this model (tokenizer.ggml.pre: ${JSON.stringify(name.slice(0, 40))} is not one of the supported pre-tokenizers: ` +
      `${names().join(', ')}). Give tokens by their numbers, or use another file`;
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
      // A regular expression engine stores state for each character of a run, and runs out of memory for many millions.
      throw new NextPixelError('limit', 'The text has a word of millions of characters: cut it into shorter texts', { cause });
    }
  };
}

/** Pieces that are returned per chunk, and the characters of one that is split further. */
const PIECES = 1024;
const LONG = 4096;

/**
 * Splits by the first expression, and the remaining pieces by the others.
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
    expression.lastIndex = done; // other code that ran meanwhile has moved it
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

/** The matches of an expression, and the texts between them. @param {RegExp} expression @param {string} text */
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
