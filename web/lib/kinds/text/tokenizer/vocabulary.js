// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the tokens in a file's metadata and checks them. */

import { show } from '../../../base/checks.js';
import { NextPixelError } from '../../../base/error.js';
import { valueIn } from '../../../gguf/metadata.js';
import { DEFAULT, cutOf } from './pre.js';

/** @import { ErrorCode } from '../../../engine/protocol.js' */
/** @import { Lookup } from '../../../gguf/metadata.js' */

/** Names of the supported tokenizers in files: 'llama' is SentencePiece, 'gpt2' is byte-pair encoding. */
export const MODELS = ['llama', 'gpt2'];

/** Types of tokens, numbered as in `tokenizer.ggml.token_type`. */
const NORMAL = 1;
export const UNKNOWN = 2;
export const CONTROL = 3;
export const USER_DEFINED = 4;
export const BYTE = 6;

/**
 * The names of tokens that end a text or a turn. Tokens with these names are control tokens, regardless of the type that the file gives
 * them.
 */
const ENDS = [
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|endofprompt|>',
  '<|end_of_turn|>',
  '<end_of_utterance>',
  '<EOT>',
  '_<EOT>',
  '<eos>',
  '[EOS]',
  '</s>',
  '<|fim_pad|>',
  '<|file_sep|>',
  '<|repo_name|>',
  '<\uff5cend\u2581of\u2581sentence\uff5c>',
];

/**
 * `LLAMA_3`: name of Llama 3's pre-tokenizer in pre.js. `LLAMA_3_TOKENS`: number of tokens of Llama 3. With this pre-tokenizer, a text
 * begins with a begin token by default.
 */
const LLAMA_3 = 'llama-bpe';
const LLAMA_3_TOKENS = 128256;

/** Number of characters read between two yields to the event loop. Each string counts as its length plus `MORE` characters. */
const SLICE = 1 << 18;
const MORE = 16;

/** Maximum number of tokens, the same as NX_MAX_VALUES of include/nextpixel.h. */
const MOST_TOKENS = 524288;
/** Maximum number of characters of a token, as written in the file. */
const MOST_TEXT = 65536;

/**
 * @typedef {object} Vocabulary
 * @property {string} model      the kind of the tokenizer: 'llama' or 'gpt2'
 * @property {string} pre        the pre-tokenizer's name in the file
 * @property {string | undefined} cut  the pre-tokenizer's name in pre.js; undefined if the file's name is unknown
 * @property {string[]} tokens   the tokens as written in the file
 * @property {Uint8Array} types  types of the tokens, as numbered above
 * @property {Map<string, number>} ids  maps the text of each token to the token's id; if several tokens have the same text, the text is
 *   mapped to the last of their ids
 * @property {number | undefined} begin    the token that begins a text
 * @property {number | undefined} end      the token that ends a text
 * @property {number | undefined} unknown  the token for characters that have no token
 * @property {Set<number>} ends  all tokens that end a text or a turn of a chat, including the begin token, which also ends the previous
 *   text
 * @property {boolean} addBegin  whether a text begins with `begin`
 * @property {boolean} addEnd
 * @property {boolean} addSpace  whether a space is put before a text
 * @property {boolean} characters  whether the sentence to translate is split into characters
 * @property {string[]} warnings  warnings about irregularities of the file, as sentences for the user
 */

/** Returns a function that must be called with the length of each string that is read. The function returns whether it is time to yield. */
export function pacing() {
  let read = 0;
  return (/** @type {number} */ length) => (read += length + MORE) >= SLICE && (read = 0) === 0;
}

/**
 * @param {ErrorCode} code
 * @param {string} key
 * @param {string} reason
 */
export function vocabularyError(code, key, reason) {
  return new NextPixelError(
    code,
    `Reading the vocabulary failed (tokenizer.ggml.${key}: ${reason}). ` +
      (code === 'unsupported'
        ? 'Use a newer version of nextpixel, or another file'
        : code === 'limit'
          ? 'This is beyond a stated limit of nextpixel'
          : 'The file is damaged, or was exported wrongly: download it again'),
  );
}

/**
 * @param {Lookup} metadata
 * @param {string} architecture  architecture of the model, which selects the pre-tokenizer if the file does not name one
 * @returns {Generator<void, Vocabulary, void>}
 */
export function* readingVocabulary(metadata, architecture) {
  /** @type {string[]} */
  const warnings = [];
  /** @param {string} key */
  const get = (key) => metadata.get(`tokenizer.ggml.${key}`);
  const model = get('model');
  if (model === undefined) throw vocabularyError('unsupported', 'model', 'missing: this file has no vocabulary');
  if (typeof model !== 'string' || !MODELS.includes(model)) {
    throw vocabularyError('unsupported', 'model', `${show(model)} is not one of the supported tokenizers, "llama" and "gpt2"`);
  }
  const tokens = textsOf('tokens', yield* valueIn(metadata, 'tokenizer.ggml.tokens'));
  if (tokens.length === 0) throw vocabularyError('format', 'tokens', 'empty');
  if (tokens.length > MOST_TOKENS) throw vocabularyError('limit', 'tokens', `more than ${MOST_TOKENS} tokens`);
  const long = tokens.findIndex((text) => text.length > MOST_TEXT);
  if (long >= 0) throw vocabularyError('limit', 'tokens', `token ${long} has more than ${MOST_TEXT} characters`);
  const types = typesOf(yield* valueIn(metadata, 'tokenizer.ggml.token_type'), tokens.length);
  /** @param {string} key  @param {number} [missing] */
  const id = (key, missing) => {
    const number = get(key) ?? missing;
    if (number === undefined || number === missing) return typeof number === 'number' && number < tokens.length ? number : undefined;
    if (!Number.isInteger(number)) throw vocabularyError('format', key, `${show(number)} is not a token`);
    if (Number(number) >= 0 && Number(number) < tokens.length) return Number(number);
    if (Number(number) >= 0 && Number(number) < 2 ** 32 - 1)
      warnings.push(`tokenizer.ggml.${key} is ${show(number)}, and there are ${tokens.length} tokens: it is ignored`);
    return undefined; // -1 and similar values mean that there is no such token
  };
  /** @param {string} key  @param {boolean} missing */
  const flag = (key, missing) => {
    const value = get(key) ?? missing;
    if (typeof value === 'boolean') return value;
    throw vocabularyError('format', key, 'neither true nor false');
  };
  const spm = model === 'llama';
  const pre = get('pre') ?? (spm ? DEFAULT : preOf(architecture, tokens.length));
  if (typeof pre !== 'string') throw vocabularyError('format', 'pre', 'not a string');
  const cut = cutOf(pre);
  if (!spm && get('pre') === undefined && pre === DEFAULT)
    warnings.push('The file names no pre-tokenizer (tokenizer.ggml.pre): tokens may differ from training');
  if (!spm && cut === undefined)
    warnings.push(`This version does not support the pre-tokenizer of this model (tokenizer.ggml.pre: ${show(pre)}): pass token ids`);
  /** @type {Map<string, number>} */
  const ids = new Map();
  const isDue = pacing();
  for (const [i, text] of tokens.entries()) {
    ids.set(text, i);
    if (isDue(text.length)) yield;
  }
  const end = id('eos_token_id', spm ? 2 : undefined);
  const turns = ENDS.map((text) => ids.get(text)).filter((token) => token !== undefined);
  for (const token of turns) types[token] = CONTROL;
  const begin = id('bos_token_id', spm ? 1 : undefined);
  const ends = [end, begin, id('eot_token_id'), id('eom_token_id'), ...turns].filter((token) => token !== undefined);
  return {
    model,
    pre,
    cut,
    tokens,
    types,
    ids,
    begin,
    end,
    warnings,
    ends: new Set(ends),
    unknown: id('unknown_token_id', spm ? 0 : undefined),
    addBegin: flag('add_bos_token', spm || cut === LLAMA_3),
    addEnd: flag('add_eos_token', false),
    addSpace: spm && flag('add_space_prefix', true),
    characters: sourceOf(metadata.get('tokenizer.source')) === 'characters',
  };
}

/** @param {unknown} source  the units into which the sentence to translate is split */
function sourceOf(source = 'tokens') {
  if (source === 'tokens' || source === 'characters') return source;
  throw new NextPixelError(
    'unsupported',
    `Reading the vocabulary failed (tokenizer.source: ${show(source)} is neither "tokens" nor "characters"). ` +
      'Use a newer version of nextpixel, or another file',
  );
}

/**
 * Returns the pre-tokenizer of an architecture, for files that do not name one.
 *
 * @param {string} architecture
 * @param {number} tokens
 */
function preOf(architecture, tokens) {
  if (/^qwen[23]/.test(architecture)) return 'qwen2';
  if (architecture === 'gpt2') return 'gpt-2';
  return architecture === 'llama' && tokens === LLAMA_3_TOKENS ? LLAMA_3 : DEFAULT;
}

/**
 * @param {string} key
 * @param {unknown} value
 * @returns {string[]}
 */
export function textsOf(key, value) {
  if (value === undefined) throw vocabularyError('format', key, 'missing');
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  throw vocabularyError('format', key, 'not a list of strings');
}

/**
 * @param {unknown} value
 * @param {number} count
 */
function typesOf(value, count) {
  if (value === undefined) return new Uint8Array(count).fill(NORMAL);
  const kinds = Array.isArray(value) ? value : [null];
  if (!kinds.every(Number.isInteger)) throw vocabularyError('format', 'token_type', 'not a list of whole numbers');
  if (kinds.length !== count) throw vocabularyError('format', 'token_type', `${kinds.length} kinds for ${count} tokens`);
  const types = new Uint8Array(count);
  for (let i = 0; i < count; i++) types[i] = kinds[i] >= NORMAL && kinds[i] <= BYTE ? kinds[i] : NORMAL;
  return types;
}
