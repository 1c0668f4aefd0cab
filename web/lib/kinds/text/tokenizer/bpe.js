// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Byte-pair encoding [Sennrich, Haddow, Birch 2016, arXiv:1508.07909] of bytes [Radford et al. 2019]: the text is split into words
 * (pre.js), and each byte of a word is a symbol. The merge rules in the file combine symbols into tokens. A merge that is listed earlier is
 * applied first.
 */

import { Pairs, merge } from './merge.js';
import { composes, splitter } from './pre.js';
import { show } from '../../../base/checks.js';
import { valueIn } from '../../../gguf/metadata.js';
import { CONTROL, UNKNOWN, USER_DEFINED, pacing, textsOf, vocabularyError } from './vocabulary.js';

/** @import { Vocabulary } from './vocabulary.js' */
/** @import { Lookup } from '../../../gguf/metadata.js' */

/** Maximum number of words whose tokens are cached. The cache saves time because most words of a text occur repeatedly. */
const MOST_WORDS = 1 << 15;
const LONGEST_WORD = 64;
/** Number of bytes or tokens processed between two yields to the event loop. */
const SLICE = 8192;
/** For each byte, the character that represents it in vocabularies: the character with the same code if that is printable, otherwise a
 * character from U+0100 on. */
const LETTERS = (() => {
  let hidden = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const seen = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCharCode(seen ? byte : 256 + hidden++);
  });
})();
const BYTES = new Map(LETTERS.map((letter, byte) => [letter, byte]));

export class BytePairs {
  #split;
  #composes;
  #pairs;
  #wholeWords;
  #unknown;
  /** For each byte, the id of its token, or -1 if the byte has no token. */
  #bytes;
  #ids;
  /** @type {Map<string, Int32Array>} */
  #words = new Map();
  #scratch = new Int32Array(1024);
  #utf8 = new TextEncoder();

  /**
   * @param {Vocabulary} vocabulary
   * @param {Lookup} metadata
   * @returns {Generator<void, BytePairs, void>}
   */
  static *reading(vocabulary, metadata) {
    const { ids } = vocabulary;
    const merges = textsOf('merges', yield* valueIn(metadata, 'tokenizer.ggml.merges'));
    const pairs = new Pairs(merges.length);
    const isDue = pacing();
    for (const [rank, text] of merges.entries()) {
      const gap = text.indexOf(' ', 1);
      const [first, second] = [text.slice(0, Math.max(gap, 0)), text.slice(gap + 1)];
      const [left, right, result] = [ids.get(first), ids.get(second), ids.get(first + second)];
      if (gap < 0 || left === undefined || right === undefined || result === undefined) {
        throw vocabularyError('format', 'merges', `${show(text)} is not a pair of tokens that form a token`);
      }
      pairs.add(left, right, rank, result);
      if (isDue(text.length)) yield;
    }
    return new BytePairs(vocabulary, pairs);
  }

  /**
   * @param {Vocabulary} vocabulary
   * @param {Pairs} pairs
   */
  constructor({ pre, cut, ids, unknown }, pairs) {
    this.#split = splitter(cut, pre);
    this.#composes = composes(pre);
    this.#wholeWords = cut === 'llama-bpe'; // in this pre-tokenizer, a word that is itself a token needs no merges
    this.#unknown = unknown;
    this.#ids = ids;
    this.#bytes = Int32Array.from(LETTERS, (letter) => ids.get(letter) ?? -1);
    this.#pairs = pairs;
  }

  /**
   * Prepares a string that will be split into words. Returns it in composed form (Unicode NFC) if the pre-tokenizer requires this,
   * otherwise unchanged.
   * @param {string} text
   */
  compose(text) {
    return this.#composes ? text.normalize('NFC') : text;
  }

  /**
   * @param {string} text
   * @param {(id: number) => void} put
   * @returns {Generator<void, void, void>}
   */
  *encode(text, put) {
    let count = 0;
    for (const words of this.#split(this.compose(text))) {
      for (const word of words)
        for (const id of this.#words.get(word) ?? (yield* this.#tokens(word))) {
          put(id);
          if (++count % SLICE === 0) yield;
        }
      yield;
    }
  }

  /** @param {string} word @returns {Generator<void, Int32Array, void>} */
  *#tokens(word) {
    const bytes = this.#utf8.encode(word);
    const tokens = this.#wholeToken(bytes) ?? (yield* this.#merged(bytes));
    if (word.length <= LONGEST_WORD) {
      if (this.#words.size >= MOST_WORDS) this.#words.clear();
      this.#words.set(word, tokens);
    }
    return tokens;
  }

  /** @param {Uint8Array} bytes */
  #wholeToken(bytes) {
    if (!this.#wholeWords || bytes.length > 4096) return undefined;
    let text = '';
    for (const byte of bytes) text += LETTERS[byte];
    const id = this.#ids.get(text);
    return id === undefined ? undefined : Int32Array.of(id);
  }

  /** @param {Uint8Array} bytes @returns {Generator<void, Int32Array, void>} */
  *#merged(bytes) {
    // a word that fits into #scratch is merged without yielding
    const symbols = bytes.length <= this.#scratch.length ? this.#scratch : new Int32Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) {
      symbols[i] = this.#bytes[bytes[i]];
      if (i % SLICE === SLICE - 1) yield;
    }
    const merged = yield* merge(symbols, bytes.length, this.#pairs);
    let kept = 0;
    for (let i = 0; i < merged; i++) {
      const id = symbols[i] < 0 ? this.#unknown : symbols[i]; // the vocabulary may lack a token for a byte
      if (id !== undefined) symbols[kept++] = id;
      if (i % SLICE === SLICE - 1) yield;
    }
    return symbols.slice(0, kept);
  }

  /**
   * Returns the bytes that a token represents.
   *
   * @param {string} text  the token as written in the file
   * @param {number} type
   */
  bytesOf(text, type) {
    if (type === CONTROL || type === UNKNOWN || type === USER_DEFINED) return this.#utf8.encode(text);
    /** @type {number[]} */
    const bytes = [];
    for (const letter of text) {
      const byte = BYTES.get(letter);
      if (byte === undefined) bytes.push(...this.#utf8.encode(letter));
      else bytes.push(byte);
    }
    return Uint8Array.from(bytes);
  }
}
