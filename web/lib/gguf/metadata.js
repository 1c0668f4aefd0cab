// SPDX-License-Identifier: MIT
// @ts-check

/** Converts the metadata of a weight file to JavaScript values. */

import { NextPixelError } from '../base/error.js';
import { atOnce } from '../base/turns.js';
import { ARRAY, NUMBERS, STRING } from './values.js';

/** @import { Entry } from './values.js' */

/** @typedef {string | number | boolean} Scalar */
/** @typedef {Scalar | Scalar[]} Value */
/** @typedef {Map<string, Value>} Metadata */
/** Metadata that are read on request. reading: like get(), but in chunks.
 * @typedef {Pick<Metadata, 'get' | 'has'> & { reading?: (key: string) => Generator<void, Value | undefined, void> }} Lookup */

/** Limits: the items of an array, the bytes of one text, and the bytes of all texts together. */
const MOST_ITEMS = 2 ** 21;
const MOST_TEXT = 2 ** 20;
const MOST_TEXTS = 2 ** 24;
/** Number of items, and of bytes of texts, read between two yields to the event loop. */
const SLICE = 1 << 14;
const BLOCK = 1 << 20;

/** @param {Entry} entry */
const isShort = ({ type, count, value }) => (type === STRING ? value.length <= MOST_TEXT : count <= MOST_ITEMS);

/**
 * Keeps entries within the limits and drops longer ones; no long entry affects how the model runs.
 *
 * @param {Entry[]} entries
 * @returns {Metadata}
 */
export function metadataOf(entries) {
  let left = MOST_TEXTS;
  let items = MOST_ITEMS;
  const kept = entries.filter(
    (entry) => isShort(entry) && (entry.itemType === STRING ? (left -= entry.value.length) >= 0 : (items -= entry.count) >= 0),
  );
  return new Map(kept.map((entry) => [entry.key, valueOf(entry)]));
}

/**
 * Reads an entry when it is requested; throws if the entry is beyond the limits.
 *
 * @param {Entry[]} entries
 * @returns {Lookup}
 */
export function lookupOf(entries) {
  const all = new Map(entries.map((entry) => [entry.key, entry]));
  /** @param {string} key */
  function* reading(key) {
    const entry = all.get(key);
    if (!entry) return undefined;
    if (!isShort(entry)) throw tooLong(key);
    return yield* readingValue(entry, MOST_TEXT);
  }
  return { has: (key) => all.has(key), get: (key) => atOnce(reading(key)), reading };
}

/**
 * Reads a value in chunks, because a value may be long.
 *
 * @param {Lookup} metadata
 * @param {string} key
 * @returns {Generator<void, Value | undefined, void>}
 */
export function* valueIn(metadata, key) {
  return metadata.reading ? yield* metadata.reading(key) : metadata.get(key);
}

/**
 * @param {Entry} entry
 * @returns {Value}
 */
export function valueOf(entry) {
  return atOnce(readingValue(entry));
}

/** @param {string} key */
const tooLong = (key) =>
  new NextPixelError('limit', `${key} is too long: a text may have at most 1 MB, and a list at most ${MOST_ITEMS} items`);

/** @param {Entry} entry @param {number} [most]  limit of the bytes of a text in a list @returns {Generator<void, Value, void>} */
function* readingValue({ key, type, itemType, count, value }, most = Infinity) {
  const all = yield* itemType === STRING ? readingStrings(key, value, count, most) : readingNumbers(value, itemType, count);
  return type === ARRAY ? all : all[0];
}

/**
 * @param {Uint8Array} value
 * @param {number} type
 * @param {number} count
 * @returns {Generator<void, (number | boolean)[], void>}
 */
function* readingNumbers(value, type, count) {
  const [bytes, read] = NUMBERS[type];
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const numbers = [];
  for (let i = 0; i < count; i++) {
    numbers.push(read(view, i * bytes));
    if (i % SLICE === SLICE - 1) yield;
  }
  return numbers;
}

/**
 * @param {string} key
 * @param {Uint8Array} value  the strings, each preceded by its 64-bit length
 * @param {number} count
 * @param {number} most  limit of the bytes of a string
 * @returns {Generator<void, string[], void>}
 */
function* readingStrings(key, value, count, most) {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Decodes blocks with one character per byte; an ASCII text is then a slice of the result. Calling a decoder for each text of a vocabulary
  // would be slow, and concatenating characters would leave garbage.
  const latin = new TextDecoder('latin1');
  let [block, begin, end] = ['', 0, 0];
  const strings = [];
  for (let i = 0, at = 0; i < count; i++) {
    const from = at + 8;
    at = from + view.getUint32(from - 8, true); // 32 bits are enough, because a file has less than 2^32 bytes
    if (at - from > most) throw tooLong(key);
    if (at > end) {
      if (i > 0) yield;
      [begin, end] = [from, Math.max(at, from + BLOCK)];
      block = latin.decode(value.subarray(begin, end));
    }
    let next = from;
    while (next < at && value[next] < 128) next++;
    strings.push(next < at ? decoder.decode(value.subarray(from, at)) : block.slice(from - begin, at - begin));
    if (i % SLICE === SLICE - 1) yield;
  }
  return strings;
}
