// SPDX-License-Identifier: MIT
// @ts-check

/** The tokens of a file as its metadata say, checked. */

import { NextPixelError } from '../../error.js';

/** @import { ErrorCode } from '../../protocol.js' */
/** @import { Lookup } from '../../metadata.js' */

/** Kinds of tokens, by the numbers of `tokenizer.ggml.token_type`. */
export const NORMAL = 1;
export const UNKNOWN = 2;
export const CONTROL = 3;
export const USER_DEFINED = 4;
export const BYTE = 6;

/** How files name the control token that ends a turn, where no key says which it is. */
const TURN_ENDS = ['<|im_end|>', '<|eot_id|>', '<|eom_id|>', '<|end|>', '<end_of_turn>', '<|endoftext|>', '<EOT>'];

/** NX_MAX_VALUES of include/nextpixel.h. */
const MOST_TOKENS = 262144;
/** Characters of a token as the file writes it. */
const MOST_TEXT = 65536;

/**
 * @typedef {object} Vocabulary
 * @property {string} model      'llama' or 'gpt2', the way a text is cut
 * @property {string} pre        what is done before: a name of pre.js
 * @property {string[]} tokens   as the file writes them
 * @property {Uint8Array} types  their kinds
 * @property {Map<string, number>} ids  of the texts; of several with one text, the last
 * @property {number | undefined} begin    the token that begins a text
 * @property {number | undefined} end      the one that ends it
 * @property {number | undefined} unknown  the one that stands for what has no token
 * @property {Set<number>} ends  all that end a text or a turn of a talk; what begins a text ends the one before
 * @property {boolean} addBegin  whether a text begins with it
 * @property {boolean} addEnd
 * @property {boolean} addSpace  whether a space is put before a text
 */

/**
 * @param {ErrorCode} code
 * @param {string} key
 * @param {string} reason
 */
export function vocabularyError(code, key, reason) {
  return new NextPixelError(code, `Reading the vocabulary failed (tokenizer.ggml.${key}: ${reason}). ` + (code === 'unsupported' ?
    'Use a newer version of nextpixel, or another file' : code === 'limit' ? 'This is beyond a stated limit of nextpixel' :
    'The file is damaged, or was exported wrongly: get it anew'));
}

/**
 * @param {Lookup} metadata
 * @returns {Vocabulary}
 */
export function vocabularyOf(metadata) {
  /** @param {string} key */
  const get = (key) => metadata.get(`tokenizer.ggml.${key}`);
  const model = get('model');
  if (model === undefined) throw vocabularyError('unsupported', 'model', 'missing: this file has no vocabulary');
  if (model !== 'llama' && model !== 'gpt2') {
    throw vocabularyError('unsupported', 'model', `${show(model)} is none of the tokenizers that are read, "llama" and "gpt2"`);
  }
  const tokens = textsOf('tokens', get('tokens'));
  if (tokens.length === 0) throw vocabularyError('format', 'tokens', 'empty');
  if (tokens.length > MOST_TOKENS) throw vocabularyError('limit', 'tokens', `more than ${MOST_TOKENS} tokens`);
  const long = tokens.findIndex((text) => text.length > MOST_TEXT);
  if (long >= 0) throw vocabularyError('limit', 'tokens', `token ${long} has more than ${MOST_TEXT} characters`);
  const types = typesOf(get('token_type'), tokens.length);
  /** @param {string} key  @param {number} [missing] */
  const id = (key, missing) => {
    const value = get(key) ?? missing;
    if (value === undefined || value === missing) return typeof value === 'number' && value < tokens.length ? value : undefined;
    if (Number.isInteger(value) && Number(value) >= 0 && Number(value) < tokens.length) return Number(value);
    throw vocabularyError('format', key, `${show(value)} is no token`);
  };
  /** @param {string} key  @param {boolean} missing */
  const flag = (key, missing) => {
    const value = get(key) ?? missing;
    if (typeof value === 'boolean') return value;
    throw vocabularyError('format', key, 'neither true nor false');
  };
  const pre = get('pre') ?? 'default';
  if (typeof pre !== 'string') throw vocabularyError('format', 'pre', 'not a text');
  const spm = model === 'llama';
  const ids = new Map(tokens.map((text, i) => [text, i]));
  const end = id('eos_token_id', spm ? 2 : undefined);
  const turns = TURN_ENDS.map((text) => ids.get(text)).filter((token) => token !== undefined && types[token] === CONTROL);
  const begin = id('bos_token_id', spm ? 1 : undefined);
  const ends = [end, begin, id('eot_token_id'), id('eom_token_id'), ...turns].filter((token) => token !== undefined);
  return {
    model, pre, tokens, types, ids, begin, end,
    ends: new Set(ends),
    unknown: id('unknown_token_id', spm ? 0 : undefined),
    addBegin: flag('add_bos_token', spm || pre === 'llama-bpe'),
    addEnd: flag('add_eos_token', false),
    addSpace: spm && flag('add_space_prefix', true),
  };
}

/**
 * @param {string} key
 * @param {unknown} value
 * @returns {string[]}
 */
export function textsOf(key, value) {
  if (value === undefined) throw vocabularyError('format', key, 'missing');
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  throw vocabularyError('format', key, 'not a list of texts');
}

/**
 * @param {unknown} value
 * @param {number} count
 */
function typesOf(value, count) {
  if (value === undefined) return new Uint8Array(count).fill(NORMAL);
  if (!Array.isArray(value) || !value.every(Number.isInteger)) throw vocabularyError('format', 'token_type', 'not a list of whole numbers');
  if (value.length !== count) throw vocabularyError('format', 'token_type', `${value.length} kinds for ${count} tokens`);
  return Uint8Array.from(value, (type) => (type >= NORMAL && type <= BYTE ? type : NORMAL));
}

/** @param {unknown} value */
export function show(value) {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value).slice(0, 40);
}
