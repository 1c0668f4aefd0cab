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

/** Limits: the items of an array, and the bytes of one text and of all texts together. */
const MOST_ITEMS = 2 ** 21;
const MOST_TEXT = 2 ** 20;
const MOST_TEXTS = 2 ** 24;
/** Number of items read between two yields to the event loop. */
const SLICE = 1 << 14;

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
  const kept = entries.filter((entry) => isShort(entry) && (entry.itemType !== STRING || (left -= entry.value.length) >= 0));
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
    if (!isShort(entry))
      throw new NextPixelError('limit', `${key} is too long: a text may have at most 1 MB, and a list at most ${MOST_ITEMS} items`);
    return yield* readingValue(entry);
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

/** @param {Entry} entry @returns {Generator<void, Value, void>} */
function* readingValue({ type, itemType, count, value }) {
  const all = yield* itemType === STRING ? readingStrings(value, count) : readingNumbers(value, itemType, count);
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
 * @param {Uint8Array} value  the strings, each preceded by its 64-bit length
 * @param {number} count
 * @returns {Generator<void, string[], void>}
 */
function* readingStrings(value, count) {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Decodes the whole value with one character per byte; an ASCII text is then a slice of the result. Calling a decoder for each text of a
  // vocabulary would be slow, and concatenating characters would leave garbage.
  const plain = new TextDecoder('latin1').decode(value);
  const strings = [];
  for (let i = 0, at = 0; i < count; i++) {
    const from = at + 8;
    at = from + view.getUint32(from - 8, true); // 32 bits are enough, because a file has less than 2^32 bytes
    let next = from;
    while (next < at && value[next] < 128) next++;
    strings.push(next < at ? decoder.decode(value.subarray(from, at)) : plain.slice(from, at));
    if (i % SLICE === SLICE - 1) yield;
  }
  return strings;
}
