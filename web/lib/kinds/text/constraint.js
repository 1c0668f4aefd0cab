// SPDX-License-Identifier: MIT
// @ts-check

/** Constraints restrict the tokens that may come next in a text. */

import { show } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { classOf } from '../../base/realm.js';
import { inTurns } from '../../base/turns.js';

/** @import { Tokenizer } from './tokenizer.js' */

/**
 * A mask has one bit per token; bit i % 32 of word i / 32 belongs to token i, and a bit of 1 allows the token. Without a mask, all tokens
 * are allowed. A mask of zeros ends the run.
 *
 * @typedef {Uint32Array | Int32Array | undefined} Mask
 */

/**
 * An object whose method `next` returns the tokens that may come next. It may be a grammar over tokens, or your own code.
 *
 * @typedef {object} Constraint
 * @property {(tokenizer: Tokenizer) => void | Promise<void>} [start]  called once, when the run begins
 * @property {(ids: Uint32Array) => Mask | Promise<Mask>} next  called before each token with the ids of all tokens drawn so far, without
 *   the prompt
 */

/** Limits of `oneOf`: the number of strings, and their total number of characters. */
const MOST_CHOICES = 1000;
const MOST_CHARACTERS = 2 ** 18;
/** Number of tokens examined per chunk. */
const SOME = 8;

/**
 * Restricts the output to one of several strings, in any tokenization: the bytes drawn so far are always a prefix of one of the strings.
 * @implements {Constraint}
 */
class OneOf {
  #texts;
  /** The bytes of each token that occurs in one of the strings, as a string with one character per byte. @type {Map<number, string>} */
  #bytes = new Map();
  /** For each sequence of bytes, the tokens that have exactly these bytes. @type {Map<string, number[]>} */
  #tokens = new Map();
  /** The different lengths of the tokens in `#tokens`, in bytes. @type {number[]} */
  #lengths = [];
  /** @type {number[]} */
  #ends = [];
  #words = 0;
  /** The bytes drawn so far, and the number of tokens that they consist of. */
  #said = '';
  #count = 0;

  /** @param {string[]} texts */
  constructor(texts) {
    this.#texts = texts.map((text) => letters(new TextEncoder().encode(text)));
  }

  /** @param {Tokenizer} tokenizer */
  start(tokenizer) {
    return inTurns(this.#read(tokenizer));
  }

  /**
   * Finds all tokens that the constraint may ever allow. The search runs in chunks, because the vocabulary may be large.
   *
   * @param {Tokenizer} tokenizer
   */
  *#read(tokenizer) {
    this.#words = Math.ceil(tokenizer.size / 32);
    const inside = this.#texts.join('\n');
    for (let id = 0; id < tokenizer.size; id++) {
      if (id % SOME === 0) yield;
      if (tokenizer.isEnd(id)) this.#ends.push(id);
      const bytes = /^(control|unknown)$/.test(tokenizer.kind(id)) ? '' : letters(tokenizer.bytes(id)); // control tokens add no text
      if (bytes === '' || !inside.includes(bytes)) continue;
      this.#bytes.set(id, bytes);
      const same = this.#tokens.get(bytes);
      if (same) same.push(id);
      else this.#tokens.set(bytes, [id]);
    }
    this.#lengths = [...new Set(Array.from(this.#tokens.keys(), ({ length }) => length))];
  }

  /** @param {Uint32Array} ids */
  next(ids) {
    for (; this.#count < ids.length; this.#count++) this.#said += this.#bytes.get(ids[this.#count]) ?? '';
    const said = this.#said;
    const left = this.#texts.filter((text) => text.startsWith(said)).map((text) => text.slice(said.length));
    const mask = new Uint32Array(this.#words);
    const allow = (/** @type {number} */ id) => {
      mask[id >>> 5] |= 1 << (id & 31);
    };
    if (left.every((text) => text === '')) return mask;
    for (const text of left) {
      for (const length of this.#lengths) if (length <= text.length) this.#tokens.get(text.slice(0, length))?.forEach(allow);
    }
    if (left.includes('')) this.#ends.forEach(allow);
    return mask;
  }
}

/** @param {Uint8Array} bytes */
const letters = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/**
 * @param {{ constraint?: Constraint, oneOf?: string[] }} options
 * @param {Tokenizer | undefined} tokenizer
 * @returns {Constraint | undefined}
 */
export function constraintOf({ constraint, oneOf }, tokenizer) {
  if (constraint !== undefined && (typeof constraint?.next !== 'function' || !/^(function|undefined)$/.test(typeof constraint.start))) {
    throw argumentError(`constraint must be an object with next(ids) and optionally start(tokenizer), not ${show(constraint)}`);
  }
  if (oneOf === undefined) return constraint;
  if (constraint) throw argumentError('oneOf and constraint both restrict the output: pass only one of them');
  if (!tokenizer) throw argumentError('oneOf needs a vocabulary, which this weight file does not have: pass a constraint');
  const texts = Array.isArray(oneOf) ? Array.from(oneOf) : [];
  if (texts.length === 0 || texts.length > MOST_CHOICES || !texts.every((text) => typeof text === 'string' && text !== '')) {
    throw argumentError(`oneOf must be a list of 1 to ${MOST_CHOICES} strings, none of them empty`);
  }
  if (texts.reduce((sum, { length }) => sum + length, 0) > MOST_CHARACTERS)
    throw argumentError(`The strings of oneOf have more than ${MOST_CHARACTERS} characters: pass shorter ones`);
  return new OneOf(texts);
}

/**
 * Validates the mask of the next token.
 *
 * @param {Constraint} constraint
 * @param {Uint32Array} drawn
 * @param {number} vocabulary  size of the vocabulary
 * @returns {Promise<Uint32Array | undefined>}
 */
export async function maskOf(constraint, drawn, vocabulary) {
  const mask = await constraint.next(drawn);
  if (mask === undefined) return undefined;
  const words = Math.ceil(vocabulary / 32);
  if (!/^(Uint32|Int32)Array$/.test(classOf(mask)) || mask.length < words) {
    throw argumentError(
      `constraint.next() must return a mask, a Uint32Array of ${words} words with a bit for each of ${vocabulary} tokens, or undefined, not ` +
        `${/Array/.test(classOf(mask)) ? `one of ${mask.length}` : show(mask)}`,
    );
  }
  const own = Uint32Array.from(mask.subarray(0, words)); // a copy, because the run transfers the mask to its worker
  if (vocabulary % 32) own[words - 1] &= (1 << (vocabulary % 32)) - 1;
  return own;
}
