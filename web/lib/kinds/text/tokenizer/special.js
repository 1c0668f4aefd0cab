// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Finds the tokens that are matched as a whole, regardless of the text around them: control tokens, and tokens that the file's author
 * defined.
 */

import { atOnce } from '../../../base/turns.js';
import { CONTROL, UNKNOWN, USER_DEFINED, vocabularyError } from './vocabulary.js';

/** @import { Vocabulary } from './vocabulary.js' */

/** @typedef {{ text: string, id: number, control: boolean }} Special */
/** For each character, the range of the sorted tokens that begin with it: the first index, and the index after the last.
 * @typedef {Map<string, [number, number]>} Starts */
/** For each position, the number of earlier characters that the template did not write. @typedef {Uint32Array} Foreign */

/** Maximum number of characters of a special token. At each character of a text, the search compares at most this many characters. */
const LONGEST = 256;

/** Number of characters, or of tokens found, between two yields to the event loop. */
const SLICE = 4096;

export class Specials {
  #tokens;
  /**
   * The special tokens, sorted by text and then by id. plain: the tokens that are recognised in plain text; all: the tokens that are
   * recognised if control tokens are allowed.
   *
   * @type {Record<'plain' | 'all', Special[]>}
   */
  #sorted;
  #starts;

  /**
   * @param {Pick<Vocabulary, 'tokens' | 'types'>} vocabulary
   * @returns {Generator<void, Specials, void>}
   */
  static *reading({ tokens, types }) {
    /** @type {Special[]} */
    const plain = [];
    /** @type {Special[]} */
    const all = [];
    for (const [id, text] of tokens.entries()) {
      if (id % SLICE === SLICE - 1) yield;
      const type = types[id];
      if (text === '' || (type !== USER_DEFINED && type !== CONTROL && type !== UNKNOWN)) continue;
      if (text.length > LONGEST)
        throw vocabularyError('limit', 'tokens', `token ${id} is matched as a whole and has more than ${LONGEST} characters`);
      const control = type !== USER_DEFINED;
      if (!control) plain.push({ text, id, control });
      all.push({ text, id, control });
    }
    const sorted = { plain: yield* sorting(plain), all: yield* sorting(all) };
    return new Specials(tokens, sorted, { plain: yield* startsOf(sorted.plain), all: yield* startsOf(sorted.all) });
  }

  /** @param {string[]} tokens @param {Record<'plain' | 'all', Special[]>} sorted @param {Record<'plain' | 'all', Starts>} starts */
  constructor(tokens, sorted, starts) {
    this.#tokens = tokens;
    this.#sorted = sorted;
    this.#starts = starts;
  }

  /**
   * Splits a text at its special tokens. If tokens overlap, the longest one is chosen first. Among tokens of the same length, the lowest id
   * comes first; among equal ids, the leftmost position.
   *
   * @param {string} text
   * @param {boolean} control  whether control tokens are recognised
   * @param {string} [sources]  the source of each character of the text. A control token is recognised only if the sources of all its
   *   characters are \0. A token that the file's author defined never takes characters from a control token, whatever text surrounds the
   *   two tokens
   * @returns {Generator<void, (string | number)[], void>} ids of tokens, and the strings between them
   */
  *dividing(text, control, sources) {
    if (text === '') return [];
    const which = control ? 'all' : 'plain';
    if (this.#sorted[which].length === 0) return [text];
    const foreign = sources === undefined ? undefined : yield* foreignIn(sources);
    /** @type {(string | number)[]} */
    const parts = [];
    /** A group of overlapping tokens, as pairs of position and token id. @type {[number, number][]} */
    let overlap = [];
    let end = 0; // end of the group of overlapping tokens
    let done = 0; // end of the text that is already split
    for (let at = 0; at <= text.length; at++) {
      const id = this.#longestAt(text, at, text.length, which, foreign);
      if (at === text.length || (id >= 0 && at >= end)) {
        for (const [place, one] of yield* this.#choosing(text, overlap, which, foreign)) {
          if (place > done) parts.push(text.slice(done, place));
          parts.push(one);
          done = place + this.#tokens[one].length;
        }
        overlap = [];
      }
      if (id >= 0) {
        overlap.push([at, id]);
        end = Math.max(end, at + this.#tokens[id].length);
      }
      if (at % SLICE === SLICE - 1) yield;
    }
    if (done < text.length) parts.push(text.slice(done));
    return parts;
  }

  /**
   * Selects tokens from a group of overlapping tokens.
   *
   * @param {string} text
   * @param {[number, number][]} overlap  pairs of position and token id; each token is the longest one at its position
   * @param {'plain' | 'all'} which
   * @param {Foreign} [foreign]
   * @returns {Generator<void, [number, number][], void>} the tokens in text order
   */
  *#choosing(text, overlap, which, foreign) {
    if (overlap.length < 2) return overlap;
    const [[begin]] = overlap;
    /** The candidates, by length. `last` has the candidates that are tried after all others. @type {[number, number][][]} */
    const tries = [];
    /** @type {[number, number][][]} */
    const last = [];
    const offer = (/** @type {[number, number]} */ one, isFirst = true) => {
      const { length } = this.#tokens[one[1]];
      ((isFirst && !isMixed(foreign, one[0], length) ? tries : last)[length] ??= []).push(one);
    };
    for (const one of overlap) offer(one);
    const [end] = /** @type {[number, number]} */ (overlap.at(-1));
    const taken = new Uint8Array(end - begin + LONGEST);
    /** @type {[number, number][]} */
    const found = [];
    for (const all of [tries, last]) {
      for (let length = Math.max(tries.length, last.length) - 1; length > 0; length--) {
        // if another token has taken the end of this token, a shorter token at the same position is tried
        for (const [at, id] of (all[length] ?? []).sort((a, b) => a[1] - b[1] || a[0] - b[0])) {
          if (taken[at - begin]) continue;
          const free = taken.subarray(at - begin, at - begin + length).indexOf(1);
          const shorter = free > 0 ? this.#longestAt(text, at, at + free, which, foreign) : -1;
          if (shorter >= 0) offer([at, shorter], all === tries);
          if (free > 0) continue;
          taken.fill(1, at - begin, at - begin + length);
          found.push([at, id]);
          if (found.length % SLICE === 0) yield;
        }
      }
    }
    return found.sort((a, b) => a[0] - b[0]);
  }

  /** Splits a text as dividing() does, but synchronously. @param {string} text @param {boolean} control */
  divide(text, control) {
    return atOnce(this.dividing(text, control));
  }

  /**
   * Finds the longest token that begins at `at` and ends at or before `to`. Walks along the sorted tokens and narrows the range of tokens
   * that match the text.
   *
   * @param {string} text
   * @param {number} at
   * @param {number} to
   * @param {'plain' | 'all'} which
   * @param {Foreign} [foreign]
   * @returns {number} id of the token, the highest id if several tokens have the same text; -1 if there is none
   */
  #longestAt(text, at, to, which, foreign) {
    const sorted = this.#sorted[which];
    let [low, high] = this.#starts[which].get(text[at]) ?? [0, 0];
    let longest = -1;
    let control = -1;
    for (let length = 1; low < high; length++) {
      // the sorted tokens with the indices `low` to `high` - 1 begin with the next `length` characters of the text
      let first = sorted[low];
      for (; first.text.length === length; first = sorted[low]) {
        const isFree = first.control && (!foreign || foreign[at + length] === foreign[at]);
        if (isFree) control = first.id;
        if (isFree || !first.control) longest = first.id;
        if (++low === high) break;
      }
      if (low === high) break;
      if (at + length >= to) break;
      const code = text.charCodeAt(at + length);
      if (first.text.charCodeAt(length) === code && (high - low === 1 || sorted[high - 1].text.charCodeAt(length) === code)) continue;
      low = lowerBound(sorted, low, high, length, code);
      high = lowerBound(sorted, low, high, length, code + 1);
    }
    return control >= 0 && isMixed(foreign, at, this.#tokens[longest].length) ? control : longest;
  }
}

/** @param {Special} a @param {Special} b */
const order = (a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.id - b.id);

/**
 * Sorts in chunks: sorts short runs, and then merges neighbouring runs.
 *
 * @param {Special[]} list
 * @returns {Generator<void, Special[], void>}
 */
function* sorting(list) {
  /** @type {Special[]} */
  let from = [];
  for (let at = 0; at < list.length; at += SLICE) {
    from.push(...list.slice(at, at + SLICE).sort(order));
    yield;
  }
  for (let width = SLICE; width < list.length; width *= 2) {
    /** @type {Special[]} */
    const to = [];
    for (let at = 0; at < from.length; at += 2 * width) {
      const middle = Math.min(at + width, from.length);
      const end = Math.min(middle + width, from.length);
      for (let [a, b] = [at, middle]; a < middle || b < end; ) {
        to.push(from[b === end || (a < middle && order(from[a], from[b]) < 0) ? a++ : b++]);
        if (to.length % SLICE === 0) yield;
      }
    }
    from = to;
  }
  return from;
}

/** @param {Special[]} sorted @returns {Generator<void, Starts, void>} */
function* startsOf(sorted) {
  /** @type {Starts} */
  const starts = new Map();
  for (let from = 0, at = 1; at <= sorted.length; at++) {
    if (at % SLICE === 0) yield;
    if (sorted[at]?.text[0] === sorted[from].text[0]) continue;
    starts.set(sorted[from].text[0], [from, at]);
    from = at;
  }
  return starts;
}

/**
 * Returns whether the template wrote some, but not all, characters of a range.
 *
 * @param {Foreign | undefined} foreign
 * @param {number} at
 * @param {number} length
 */
function isMixed(foreign, at, length) {
  const count = foreign ? foreign[at + length] - foreign[at] : 0;
  return count > 0 && count < length;
}

/** @param {string} sources @returns {Generator<void, Foreign, void>} */
function* foreignIn(sources) {
  const foreign = new Uint32Array(sources.length + 1);
  for (let i = 0; i < sources.length; i++) {
    foreign[i + 1] = foreign[i] + Number(sources.charCodeAt(i) > 0);
    if (i % (16 * SLICE) === 0) yield;
  }
  return foreign;
}

/**
 * Searches the sorted tokens from index `from` to index `to` - 1. Returns the index of the first token whose character at index `at` has a
 * code of at least `code`, or `to` if there is no such token.
 *
 * @param {Special[]} sorted
 * @param {number} from
 * @param {number} to
 * @param {number} at
 * @param {number} code
 */
function lowerBound(sorted, from, to, at, code) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle].text.charCodeAt(at) >= code) to = middle;
    else from = middle + 1;
  }
  return from;
}
