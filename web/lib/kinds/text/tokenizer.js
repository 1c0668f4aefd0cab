// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tokenizers convert text to tokens and back, using the vocabulary in a file's metadata. They do not need the engine.
 *
 *     tokenizer/vocabulary.js  checks of the metadata     tokenizer/pre.js      the first split of a text
 *     tokenizer/bpe.js         byte pairs ('gpt2')        tokenizer/merge.js    merging of symbols, for bpe.js and spm.js
 *     tokenizer/spm.js         SentencePiece ('llama')    tokenizer/special.js  tokens with a special meaning
 */

import { checkOptions, show } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { atOnce, inTurns } from '../../base/turns.js';
import { BytePairs } from './tokenizer/bpe.js';
import { Specials } from './tokenizer/special.js';
import { SentencePieces } from './tokenizer/spm.js';
import { BYTE, CONTROL, UNKNOWN, USER_DEFINED, readingVocabulary } from './tokenizer/vocabulary.js';

/** @import { Lookup } from '../../gguf/metadata.js' */
/** @import { Vocabulary } from './tokenizer/vocabulary.js' */

/** @typedef {'normal' | 'unknown' | 'control' | 'user' | 'byte'} TokenKind */

/**
 * Maximum number of characters of a string that is tokenized synchronously; a longer string would block the page for too long.
 * @internal
 */
export const AT_ONCE = 2 ** 18;
const LONGEST_TEXT = 2 ** 26;
/** Number of tokens, or of pieces of a string, between two yields to the event loop. */
const SLICE = 4096;

/** Converts strings to tokens and tokens to strings. */
export class Tokenizer {
  /** @type {Vocabulary} */
  #vocabulary;
  #longest = 0;
  #pieces;
  #specials;
  /** The bytes of each token; an entry is filled when the token is first used. @type {Uint8Array[]} */
  #bytes = [];

  /** The number of tokens. @type {number} */
  size;

  /**
   * @param {Vocabulary} vocabulary
   * @param {SentencePieces | BytePairs} pieces
   * @param {Specials} specials
   * @internal
   */
  constructor(vocabulary, pieces, specials) {
    this.#vocabulary = vocabulary;
    this.#pieces = pieces;
    this.#specials = specials;
    this.size = vocabulary.tokens.length;
  }

  /**
   * Creates a tokenizer. If there are many tokens, yields between chunks of them.
   *
   * @param {Lookup} metadata  the metadata; only the keys under `tokenizer.` are read
   * @param {string} [architecture]  architecture of the model
   * @returns {Generator<void, Tokenizer, void>}
   * @internal
   */
  static *reading(metadata, architecture = String(metadata.get('general.architecture') ?? '')) {
    const vocabulary = yield* readingVocabulary(metadata, architecture);
    const pieces = yield* (vocabulary.model === 'llama' ? SentencePieces : BytePairs).reading(vocabulary, metadata);
    return new Tokenizer(vocabulary, pieces, yield* Specials.reading(vocabulary));
  }

  /** Returns the name of the tokenizer in the file: 'llama' is SentencePiece, 'gpt2' merges pairs of bytes. */
  get model() {
    return this.#vocabulary.model;
  }

  /** Returns warnings about irregularities of the vocabulary, as sentences for the user. */
  get warnings() {
    return this.#vocabulary.warnings;
  }

  /** Returns the name of the pre-tokenizer in the file. */
  get pre() {
    return this.#vocabulary.pre;
  }

  /** Returns the token that begins a text, if there is one. */
  get begin() {
    return this.#vocabulary.begin;
  }

  /** Returns the token that ends a text, if there is one. */
  get end() {
    return this.#vocabulary.end;
  }

  /** Returns the largest number of characters that one token represents. @internal */
  get longest() {
    this.#longest ||= this.#vocabulary.tokens.reduce((most, { length }) => Math.max(most, length), 1);
    return this.#longest;
  }

  /** Returns whether the model expects `begin` at the beginning of a text. */
  get addsBegin() {
    return this.#vocabulary.addBegin && this.begin !== undefined;
  }

  /**
   * Encodes a string as tokens, synchronously. For a text as long as a book, use encodeLong(), which does not block the page.
   *
   * @param {string} text  at most 2^26 characters; a lone surrogate becomes U+FFFD
   * @param {{ special?: boolean }} [options]  special: adds the tokens that begin and end a text if the file requires them, and reads the
   *   name of a control token in the text, such as <s>, as that token. Default: false, the whole string is plain text
   * @returns {Uint32Array<ArrayBuffer>}
   */
  encode(text, options = {}) {
    checkOptions(options, 'encode()', ['special']);
    const { special = false } = options;
    checkText(text);
    return atOnce(this.encoding(text, special));
  }

  /**
   * Encodes a string as encode() does, but in chunks that yield to the event loop.
   *
   * @param {string} text
   * @param {{ special?: boolean, signal?: AbortSignal }} [options]  signal: aborts the encoding
   * @returns {Promise<Uint32Array<ArrayBuffer>>}
   */
  async encodeLong(text, options = {}) {
    checkOptions(options, 'encodeLong()', ['special', 'signal']);
    const { special = false, signal } = options;
    checkText(text);
    signal?.throwIfAborted();
    return inTurns(this.encoding(text, special), signal);
  }

  /** @param {string} text @param {boolean} special @returns {Generator<void, Uint32Array<ArrayBuffer>, void>} @internal */
  *encoding(text, special) {
    if (text.length > LONGEST_TEXT) throw argumentError('text must have at most 2^26 characters: cut it into shorter texts');
    return yield* this.#encodeParts(yield* this.#specials.dividing(wellFormed(text), special), special);
  }

  /**
   * Returns the tokens of a sentence to translate. If the model reads characters, each character is encoded separately, as one token or as
   * its bytes.
   *
   * @param {string} text
   * @returns {Uint32Array<ArrayBuffer>}
   * @internal
   */
  encodeSource(text) {
    return atOnce(this.#vocabulary.characters ? this.#encodeParts(Array.from(wellFormed(text)), false) : this.encoding(text, false));
  }

  /**
   * @param {(string | number)[]} parts  strings, and the ids of tokens that are already known
   * @param {boolean} special  whether to add begin and end tokens as the file requires
   * @returns {Generator<void, Uint32Array<ArrayBuffer>, void>}
   */
  *#encodeParts(parts, special) {
    const { begin, end, addBegin, addEnd, addSpace } = this.#vocabulary;
    /** @type {number[]} */
    const ids = [];
    const put = (/** @type {number} */ id) => void ids.push(id);
    if (special && addBegin && begin !== undefined && parts[0] !== begin) put(begin); // the parts may already start with the begin token
    let first = true; // true at the beginning of the text and after a special token
    for (const part of parts) {
      if (typeof part === 'number') put(part);
      else yield* this.#pieces.encode(addSpace && first ? ` ${part}` : part, put);
      first = typeof part === 'number';
    }
    if (special && addEnd && end !== undefined) put(end);
    return new Uint32Array(ids);
  }

  /**
   * Returns the tokens of a prompt. If `sources` is given, the name of a control token is read as this token only if all characters of the
   * name have the source 0.
   *
   * @param {{ text: string, sources?: string }} prompt
   * @returns {Generator<void, Uint32Array<ArrayBuffer>, void>}
   * @internal
   */
  *encodingPrompt({ text, sources }) {
    return yield* this.#encodeParts(yield* this.#specials.dividing(wellFormed(text), true, sources), true);
  }

  /**
   * Decodes tokens to a string, synchronously. For a text as long as a book, use decodeLong().
   *
   * @param {ArrayLike<number>} ids
   * @param {{ special?: boolean }} [options]  special: whether control tokens appear by their names. Default: false, control tokens have no
   *   text
   * @returns {string} bytes that are not valid UTF-8 become U+FFFD
   */
  decode(ids, options = {}) {
    checkOptions(options, 'decode()', ['special']);
    const { special = false } = options;
    checkList(ids);
    return atOnce(this.#decoding(ids, special));
  }

  /**
   * Decodes tokens as decode() does, but in chunks that yield to the event loop.
   *
   * @param {ArrayLike<number>} ids  must not change until the promise resolves
   * @param {{ special?: boolean, signal?: AbortSignal }} [options]  signal: aborts the decoding
   * @returns {Promise<string>}
   */
  async decodeLong(ids, options = {}) {
    checkOptions(options, 'decodeLong()', ['special', 'signal']);
    const { special = false, signal } = options;
    checkList(ids);
    signal?.throwIfAborted();
    return inTurns(this.#decoding(ids, special), signal);
  }

  /** @param {ArrayLike<number>} ids @param {boolean} special @returns {Generator<void, string, void>} */
  *#decoding(ids, special) {
    const writer = this.writer({ special });
    let text = '';
    for (let from = 0; from < ids.length; from += SLICE) {
      const parts = [];
      for (let i = from; i < Math.min(from + SLICE, ids.length); i++) parts.push(writer.write(ids[i]));
      text += parts.join('');
      yield;
    }
    return text + writer.end();
  }

  /**
   * Decodes tokens one at a time. An incomplete character is held back until its remaining bytes arrive.
   *
   * @param {{ special?: boolean, within?: boolean }} [options]  within: whether the tokens continue other text, so that a leading space is
   *   kept
   * @returns {{ write: (id: number) => string, waiting: () => boolean, end: () => string }}
   */
  writer(options = {}) {
    checkOptions(options, 'writer()', ['special', 'within']);
    const { special = false, within = false } = options;
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const { addSpace } = this.#vocabulary;
    const pending = new Pending();
    let first = !within;
    return {
      write: (id) => {
        const kind = this.kind(id);
        if (kind === 'control' && !special) {
          first = true;
          return '';
        }
        let bytes = kind === 'unknown' && !special ? REPLACEMENT : this.bytes(id);
        // Drop the space that encode() added.
        if (addSpace && first && kind !== 'control' && kind !== 'user' && bytes[0] === 0x20) bytes = bytes.subarray(1);
        first = kind === 'control' || kind === 'user';
        pending.add(bytes);
        return decoder.decode(bytes, { stream: true });
      },
      waiting: () => pending.count > 0,
      end: () => decoder.decode(),
    };
  }

  /**
   * Returns the bytes that a token represents. A token may represent only a part of a character.
   *
   * @param {number} id
   * @returns {Uint8Array}
   */
  bytes(id) {
    const { tokens, types } = this.#vocabulary;
    this.#check(id);
    return (this.#bytes[id] ??= this.#pieces.bytesOf(tokens[id], types[id]));
  }

  /**
   * @param {number} id
   * @returns {TokenKind}
   */
  kind(id) {
    this.#check(id);
    const type = this.#vocabulary.types[id];
    return type === UNKNOWN ? 'unknown' : type === CONTROL ? 'control' : type === USER_DEFINED ? 'user' : type === BYTE ? 'byte' : 'normal';
  }

  /**
   * Returns the text of a single token for display: its text, its name, or the byte of an incomplete character as <0x..>.
   *
   * @param {number} id
   * @returns {string}
   */
  name(id) {
    if (this.kind(id) === 'control' || this.kind(id) === 'unknown') return this.#vocabulary.tokens[id];
    const bytes = this.bytes(id);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return Array.from(bytes, (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`).join('');
    }
  }

  /**
   * Returns the token with exactly this text, if there is one. If several tokens have this text, returns the token that is used in the
   * middle of a text.
   *
   * @param {string} text
   * @returns {number | undefined}
   */
  find(text) {
    checkText(text);
    const { addSpace, ids, model } = this.#vocabulary;
    const composed = this.#pieces.compose(text);
    const written = model === 'llama' ? text.replaceAll(' ', '\u2581') : undefined;
    const direct = written === undefined ? undefined : ids.get(written);
    if (direct !== undefined) return direct;
    const whole = this.encode(text, { special: true }).filter((id) => id !== this.begin && id !== this.end);
    const found = addSpace && whole.length > 1 ? whole.subarray(1) : whole;
    return found.length === 1 && this.name(found[0]) === composed ? found[0] : ids.get(text);
  }

  /**
   * Returns the marker that represents a control token in the search for stop strings. Other tokens have no marker, because their text is
   * searched.
   *
   * @param {number} id
   * @internal
   */
  mark(id) {
    return this.kind(id) === 'control' ? `\ue000${id}\ue001` : '';
  }

  /** Replaces each name of a control token in a string with the token's marker. @param {string} text @internal */
  marked(text) {
    return this.#specials
      .divide(wellFormed(text), true)
      .map((part) => (typeof part === 'number' ? this.mark(part) || this.#vocabulary.tokens[part] : this.#pieces.compose(part)))
      .join('');
  }

  /** Returns whether a token ends a text or a turn. @param {number} id */
  isEnd(id) {
    return this.#vocabulary.ends.has(id);
  }

  /** @param {number} id */
  #check(id) {
    if (!(Number.isInteger(id) && id >= 0 && id < this.size))
      throw argumentError(`${show(id)} is not a token: ids are 0 to ${this.size - 1}`);
  }
}

/** @param {unknown} text */
function checkText(text) {
  if (typeof text !== 'string') throw argumentError(`text must be a string, not ${show(text)}`);
}

/** @param {any} ids */
function checkList(ids) {
  if (typeof ids?.length !== 'number' || typeof ids === 'string')
    throw argumentError(`decode() takes a list of token ids, not ${show(ids)}`);
}

const REPLACEMENT = new TextEncoder().encode('\ufffd');

/** Counts the bytes of an incomplete character at the end of the added text. */
class Pending {
  count = 0;
  /** Total number of bytes of the incomplete character. */
  #whole = 0;

  /** @param {Uint8Array} bytes */
  add(bytes) {
    for (const byte of bytes) {
      if (byte >= 0x80 && byte < 0xc0 && this.count > 0) {
        if (++this.count === this.#whole) this.count = 0;
      } else {
        this.#whole = byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 0;
        this.count = this.#whole > 0 ? 1 : 0;
      }
    }
  }
}

/** @param {string} text */
function wellFormed(text) {
  return /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
}
