// SPDX-License-Identifier: MIT
// @ts-check

/** Finds the tokens that are matched as a whole, in any context: control tokens, and those that the file's maker defined. */

import { atOnce } from '../../../base/turns.js';
import { CONTROL, UNKNOWN, USER_DEFINED, vocabularyError } from './vocabulary.js';

/** @import { Vocabulary } from './vocabulary.js' */

/** @typedef {{ text: string, id: number }} Special */

/** The most characters of such a token. Looking for them compares at most this number of characters at each character of a text. */
const LONGEST = 256;

/** Characters, or tokens that were found, between two turns that others may have. */
const SLICE = 4096;

export class Specials {
  #tokens;
  /** Such tokens in the order of their texts, equal ones in that of their numbers: those in a plain text, and those in one in which control
   * tokens count. @type {Record<'plain' | 'all', Special[]>} */
  #sorted = { plain: [], all: [] };
  /** The range of those with this first character in that order: from, to. @type {Record<'plain' | 'all', Map<string, [number, number]>>} */
  #starts;

  /** @param {Vocabulary} vocabulary */
  constructor({ tokens, types }) {
    this.#tokens = tokens;
    tokens.forEach((text, id) => {
      const type = types[id];
      if (text === '' || (type !== USER_DEFINED && type !== CONTROL && type !== UNKNOWN)) return;
      if (text.length > LONGEST)
        throw vocabularyError('limit', 'tokens', `token ${id} stands for itself and has more than ${LONGEST} characters`);
      if (type === USER_DEFINED) this.#sorted.plain.push({ text, id });
      this.#sorted.all.push({ text, id });
    });
    const order = (/** @type {Special} */ a, /** @type {Special} */ b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.id - b.id);
    const startsOf = (/** @type {Special[]} */ sorted) => {
      /** @type {Map<string, [number, number]>} */
      const starts = new Map();
      sorted.sort(order).forEach(({ text }, at) => starts.set(text[0], [starts.get(text[0])?.[0] ?? at, at + 1]));
      return starts;
    };
    this.#starts = { plain: startsOf(this.#sorted.plain), all: startsOf(this.#sorted.all) };
  }

  /**
   * Where several tokens fit, the longest in all of the text goes first; of equally long ones the one of the lower number, and then the one
   * further left.
   *
   * @param {string} text
   * @param {boolean} control  whether control tokens count
   * @returns {Generator<void, (string | number)[], void>} tokens, and the text between them
   */
  *dividing(text, control) {
    if (text === '') return [];
    const which = control ? 'all' : 'plain';
    if (this.#sorted[which].length === 0) return [text];
    /** @type {(string | number)[]} */
    const parts = [];
    /** Tokens that overlap, as pairs of place and token: they have nothing to do with others. @type {[number, number][]} */
    let overlap = [];
    let end = 0; // of these
    let done = 0; // characters that are in parts
    for (let at = 0; at <= text.length; at++) {
      const id = this.#longestAt(text, at, text.length, which);
      if (at === text.length || (id >= 0 && at >= end)) {
        for (const [place, one] of yield* this.#choosing(text, overlap, which)) {
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
   * Of tokens that overlap those that count.
   *
   * @param {string} text
   * @param {[number, number][]} overlap  place and token, the longest at each place
   * @param {'plain' | 'all'} which
   * @returns {Generator<void, [number, number][], void>} in the order of the text
   */
  *#choosing(text, overlap, which) {
    if (overlap.length < 2) return overlap;
    const [[begin]] = overlap;
    /** Those that are to be tried, by their length. @type {[number, number][][]} */
    const tries = [];
    const offer = (/** @type {[number, number]} */ one) => void (tries[this.#tokens[one[1]].length] ??= []).push(one);
    overlap.forEach(offer);
    const [last] = /** @type {[number, number]} */ (overlap.at(-1));
    const taken = new Uint8Array(last - begin + LONGEST);
    /** @type {[number, number][]} */
    const found = [];
    for (let length = tries.length - 1; length > 0; length--) {
      // a token that finds its end taken is shorter when it is tried again
      for (const [at, id] of (tries[length] ?? []).sort((a, b) => a[1] - b[1] || a[0] - b[0])) {
        if (taken[at - begin]) continue;
        const free = taken.subarray(at - begin, at - begin + length).indexOf(1);
        const shorter = free > 0 ? this.#longestAt(text, at, at + free, which) : -1;
        if (shorter >= 0) offer([at, shorter]);
        if (free > 0) continue;
        taken.fill(1, at - begin, at - begin + length);
        found.push([at, id]);
        if (found.length % SLICE === 0) yield;
      }
    }
    return found.sort((a, b) => a[0] - b[0]);
  }

  /** The same at once. @param {string} text @param {boolean} control */
  divide(text, control) {
    return atOnce(this.dividing(text, control));
  }

  /**
   * Where the end of a text begins that is the beginning of one of these tokens, the longest such end; -1: there is none.
   *
   * @param {string} text
   */
  openAt(text) {
    const { all } = this.#sorted;
    for (let at = Math.max(0, text.length - LONGEST + 1); at < text.length; at++) {
      const [from, to] = this.#starts.all.get(text[at]) ?? [0, 0];
      const end = text.slice(at);
      for (let i = from; i < to; i++) if (all[i].text.length > end.length && all[i].text.startsWith(end)) return at;
    }
    return -1;
  }

  /**
   * The longest token that begins at `at` and ends at `to` or before: a walk along the sorted tokens, which keeps those that continue like
   * the text.
   *
   * @param {string} text
   * @param {number} at
   * @param {number} to
   * @param {'plain' | 'all'} which
   * @returns {number} of equal texts the last; -1: none
   */
  #longestAt(text, at, to, which) {
    const sorted = this.#sorted[which];
    let [low, high] = this.#starts[which].get(text[at]) ?? [0, 0];
    let longest = -1;
    for (let length = 1; low < high; length++) {
      // all of low..high - 1 begin with the text's next `length` characters
      let first = sorted[low];
      for (; first.text.length === length; first = sorted[low]) {
        longest = first.id;
        if (++low === high) return longest;
      }
      if (at + length >= to) break;
      const code = text.charCodeAt(at + length);
      if (first.text.charCodeAt(length) === code && (high - low === 1 || sorted[high - 1].text.charCodeAt(length) === code)) continue;
      low = lowerBound(sorted, low, high, length, code);
      high = lowerBound(sorted, low, high, length, code + 1);
    }
    return longest;
  }
}

/**
 * The first of sorted[from..to - 1] whose character `at` is `code` or a later one; `to` if there is none.
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
