// SPDX-License-Identifier: MIT
// @ts-check

/**
 * SentencePiece [Kudo, Richardson 2018, arXiv:1808.06226] with byte-pair merges. At first, each character of the text is a symbol. Two
 * neighbours may merge if their joined text is a token; the pair with the highest score merges first. A character without a token is
 * replaced by the tokens of its bytes. A space is written as U+2581.
 */

import { valueIn } from '../../../gguf/metadata.js';
import { Pairs, merge } from './merge.js';
import { BYTE, CONTROL, UNKNOWN, pacing, vocabularyError } from './vocabulary.js';

/** @import { Vocabulary } from './vocabulary.js' */
/** @import { Lookup } from '../../../gguf/metadata.js' */

const SPACE = '\u2581';
const INNER_SPACE = /[^\u2581]\u2581/;
/** Matches a run of spaces and the text up to the next run. */
const WORD = / *[^ ]+| +/g;

/** Maximum number of cached words. Words are cached because most of them occur repeatedly in a text. */
const MOST_WORDS = 1 << 15;
const LONGEST_WORD = 64;
/** Number of items processed between two yields to the event loop. The items are the tokens of a file, the words of a text, or the
 * characters or the symbols of a word. */
const SLICE = 4096;

/** Limit on the work of splitting every token in two at every position. The work is quadratic in the length of a token. */
const MOST_WORK = 2 ** 30;

export class SentencePieces {
  #pairs = new Pairs(0);
  /** Maps each character to its symbol: the id of the character's token, or a number above all token ids. @type {Map<string, number>} */
  #symbols = new Map();
  /** The characters of the symbols that are not tokens. These symbols have numbers above all token ids. @type {string[]} */
  #characters = [];
  #size;
  /** For each byte, the id of its token. For a byte without a token: the id of the unknown token, or -1 if there is none. */
  #bytes;
  /**
   * True if spaces occur only at the beginning of tokens. In this case, no token contains the end of one word and the beginning of the
   * next.
   */
  #words = true;
  /** The words encoded so far, with their tokens. @type {Map<string, Uint32Array>} */
  #seen = new Map();
  /** For each character without a token, the tokens of its bytes. @type {Map<string, number[]>} */
  #strange = new Map();
  #utf8 = new TextEncoder();

  /** @param {Vocabulary} vocabulary */
  constructor({ tokens, unknown }) {
    this.#size = tokens.length;
    this.#bytes = Int32Array.from({ length: 256 }, () => unknown ?? -1);
  }

  /** Returns the string unchanged, because this tokenizer encodes strings as they are. @param {string} text */
  compose(text) {
    return text;
  }

  /**
   * @param {Vocabulary} vocabulary
   * @param {Lookup} metadata
   * @returns {Generator<void, SentencePieces, void>}
   */
  static *reading(vocabulary, metadata) {
    const made = new SentencePieces(vocabulary);
    yield* made.#read(vocabulary, metadata);
    return made;
  }

  /** @param {Vocabulary} vocabulary @param {Lookup} metadata @returns {Generator<void, void, void>} */
  *#read({ tokens, types, unknown }, metadata) {
    const ranks = yield* ranksOf(yield* valueIn(metadata, 'tokenizer.ggml.scores'), tokens.length);
    /** @type {Map<string, number>} */
    const pieces = new Map();
    let work = 0;
    for (const [id, text] of tokens.entries()) {
      if (id % SLICE === SLICE - 1) yield;
      const type = types[id];
      if (type === BYTE) {
        const byte = byteOf(text);
        if (byte === undefined) throw vocabularyError('format', 'tokens', `token ${id} is a byte but not of the form <0x..>`);
        this.#bytes[byte] = id;
      } else if (type !== CONTROL && type !== UNKNOWN && text !== '') {
        pieces.set(text, id);
        if ((work += text.length ** 2) > MOST_WORK) throw vocabularyError('limit', 'tokens', 'the texts of the tokens are too long');
        if (INNER_SPACE.test(text)) this.#words = false;
      }
    }
    // A byte without a byte token is represented by the token of its character, if there is one.
    for (let byte = 0; byte < 128; byte++) {
      if (this.#bytes[byte] === (unknown ?? -1)) this.#bytes[byte] = pieces.get(String.fromCharCode(byte)) ?? this.#bytes[byte];
    }

    /** @param {string} character */
    const symbolOf = (character) => {
      const known = pieces.get(character) ?? this.#symbols.get(character);
      if (known !== undefined) return known;
      return this.#size + this.#characters.push(character) - 1;
    };
    /** @type {number[]} */
    const found = []; // left, right, result
    const isDue = pacing();
    for (const [text, id] of pieces) {
      if (isDue(0)) yield;
      const characters = [...text];
      for (const character of characters) this.#symbols.set(character, symbolOf(character));
      const firstLength = characters[0].length;
      const lastLength = characters[characters.length - 1].length;
      for (let cut = firstLength; cut <= text.length - lastLength; cut++) {
        if (isDue(text.length)) yield;
        // The first part is one character or a token.
        const left = cut === firstLength ? symbolOf(characters[0]) : pieces.get(text.slice(0, cut));
        if (left === undefined) continue;
        const right = cut === text.length - lastLength ? symbolOf(characters[characters.length - 1]) : pieces.get(text.slice(cut));
        if (right !== undefined) found.push(left, right, id);
      }
    }
    this.#pairs = new Pairs(found.length / 3);
    for (let i = 0; i < found.length; i += 3) {
      this.#pairs.add(found[i], found[i + 1], ranks[found[i + 2]], found[i + 2]);
      if (i % SLICE === 0) yield;
    }
  }

  /**
   * @param {string} text
   * @param {(id: number) => void} put
   * @returns {Generator<void, void, void>}
   */
  *encode(text, put) {
    let count = 0;
    // U+2581 in the text is not a space: it is encoded as its bytes.
    for (const [i, part] of text.split(SPACE).entries()) {
      if (i > 0) this.#putBytes(SPACE, put);
      for (const [word] of this.#words ? part.matchAll(WORD) : [[part]]) {
        if (word.length > LONGEST_WORD) yield* this.#encodeWord(word, put);
        else for (const id of this.#seen.get(word) ?? (yield* this.#tokens(word))) put(id);
        if (++count % SLICE === 0) yield;
      }
    }
  }

  /** Encodes a word, and caches its tokens. @param {string} word @returns {Generator<void, Uint32Array, void>} */
  *#tokens(word) {
    /** @type {number[]} */
    const ids = [];
    yield* this.#encodeWord(word, (id) => void ids.push(id));
    const tokens = Uint32Array.from(ids);
    if (this.#seen.size >= MOST_WORDS) this.#seen.clear();
    this.#seen.set(word, tokens);
    return tokens;
  }

  /**
   * @param {string} text
   * @param {(id: number) => void} put
   * @returns {Generator<void, void, void>}
   */
  *#encodeWord(text, put) {
    const symbols = new Int32Array(text.length);
    /** The characters whose symbol is -1, in order. @type {string[]} */
    const strange = [];
    let count = 0;
    for (const character of text) {
      const symbol = this.#symbols.get(character === ' ' ? SPACE : character) ?? -1;
      if (symbol < 0) strange.push(character === ' ' ? SPACE : character);
      symbols[count++] = symbol;
      if (count % SLICE === 0) yield;
    }
    const kept = yield* merge(symbols, count, this.#pairs);
    let next = 0;
    for (let i = 0; i < kept; i++) {
      const symbol = symbols[i];
      if (symbol < 0) this.#putBytes(strange[next++], put);
      else if (symbol < this.#size) put(symbol);
      else this.#putBytes(this.#characters[symbol - this.#size], put);
      if (i % SLICE === SLICE - 1) yield;
    }
  }

  /**
   * @param {string} character
   * @param {(id: number) => void} put
   */
  #putBytes(character, put) {
    let ids = this.#strange.get(character);
    if (!ids) {
      ids = Array.from(this.#utf8.encode(character), (byte) => this.#bytes[byte]).filter((id) => id >= 0);
      if (this.#strange.size < MOST_WORDS) this.#strange.set(character, ids);
    }
    for (const id of ids) put(id);
  }

  /**
   * Returns the bytes that a token represents.
   *
   * @param {string} text  the token as written in the file
   * @param {number} type
   */
  bytesOf(text, type) {
    if (type === BYTE) return Uint8Array.of(byteOf(text) ?? 0);
    return this.#utf8.encode(type === CONTROL || type === UNKNOWN ? text : text.replaceAll(SPACE, ' '));
  }
}

/**
 * Returns the byte of a token with a name such as <0x0A>.
 *
 * @param {string} text
 */
function byteOf(text) {
  const match = /^<0x([0-9A-Fa-f]{2})>$/.exec(text);
  return match ? parseInt(match[1], 16) : undefined;
}

/**
 * Returns the rank of each token by its score. The highest score has rank 0; equal scores have the same rank.
 *
 * @param {unknown} scores
 * @param {number} count
 * @returns {Generator<void, Int32Array, void>}
 */
function* ranksOf(scores, count) {
  if (scores === undefined) throw vocabularyError('format', 'scores', 'missing');
  if (!Array.isArray(scores) || !scores.every((score) => typeof score === 'number' && Number.isFinite(score))) {
    throw vocabularyError('format', 'scores', 'not a list of finite numbers');
  }
  if (scores.length !== count) throw vocabularyError('format', 'scores', `${scores.length} scores for ${count} tokens`);
  yield;
  const sorted = new Float64Array(scores);
  yield;
  sorted.sort();
  yield;
  let different = 0;
  for (const score of sorted) if (different === 0 || score !== sorted[different - 1]) sorted[different++] = score;
  const ranks = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    if (i % SLICE === SLICE - 1) yield;
    let [low, high] = [0, different - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < scores[i]) low = middle + 1;
      else high = middle;
    }
    ranks[i] = different - 1 - low;
  }
  return ranks;
}
