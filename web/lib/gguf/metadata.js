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
/** Metadata that are read on request. reading() does the same as get(), but in chunks.
 * @typedef {Pick<Metadata, 'get' | 'has'> & { reading?: (key: string) => Generator<void, Value | undefined, void> }} Lookup */

/** Limits: number of items in an array, bytes of one string, and bytes of all strings and numbers together. */
const MOST_ITEMS = 2 ** 21;
const MOST_TEXT = 2 ** 20;
const MOST_BYTES = 2 ** 24;
/** Number of bytes read between two yields to the event loop. */
const BLOCK = 1 << 17;

/** @param {Entry} entry */
const isShort = ({ type, count, value }) => (type === STRING ? value.length <= MOST_TEXT : count <= MOST_ITEMS);

/**
 * Converts the entries that are within the limits, and drops longer entries. No long entry affects how the model runs.
 *
 * @param {Entry[]} entries
 * @returns {Metadata}
 */
export function metadataOf(entries) {
  let left = MOST_BYTES;
  // each item counts as at least 8 bytes: a string in an array stores its length in 8 bytes, and a number takes 8 bytes in JavaScript
  const kept = entries.filter((entry) => {
    const bytes = Math.max(entry.value.length, 8 * entry.count);
    const fits = isShort(entry) && bytes <= left;
    if (fits) left -= bytes;
    return fits;
  });
  return new Map(kept.map((entry) => [entry.key, valueOf(entry)]));
}

/**
 * Returns a lookup that reads each entry only on request. Reading throws if the entry is beyond the limits.
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
    const tooLong = () =>
      new NextPixelError('limit', `${key} is too long: a string may have at most 1 MB, and a list at most ${MOST_ITEMS} items`);
    if (!isShort(entry)) throw tooLong();
    if (entry.type !== ARRAY) return valueOf(entry);
    const items = [];
    for (const part of blocksOf(entry, tooLong)) {
      for (const item of /** @type {any[]} */ (valueOf(part))) items.push(item);
      yield;
    }
    return items;
  }
  return { has: (key) => all.has(key), get: (key) => atOnce(reading(key)), reading };
}

/**
 * Divides an array into consecutive blocks. Each block except the last ends with the first item that brings it to BLOCK bytes or more.
 *
 * @param {Entry} entry
 * @param {() => Error} tooLong  makes the error for an array with a string that is too long
 * @returns {Generator<Entry, void, void>}
 */
function* blocksOf(entry, tooLong) {
  const { value, itemType, count } = entry;
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  for (let i = 0, at = 0; i < count; ) {
    const [from, first] = [at, i];
    for (; i < count && at - from < BLOCK; i++) {
      const bytes = itemType === STRING ? 8 + view.getUint32(at, true) : NUMBERS[itemType][0];
      if (bytes > 8 + MOST_TEXT) throw tooLong();
      at += bytes;
    }
    yield { ...entry, count: i - first, value: value.subarray(from, at) };
  }
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
export function valueOf({ type, itemType, count, value }) {
  const all = itemType === STRING ? stringsIn(value, count) : numbersIn(value, itemType, count);
  return type === ARRAY ? all : all[0];
}

/**
 * @param {Uint8Array} value
 * @param {number} type
 * @param {number} count
 */
function numbersIn(value, type, count) {
  const [bytes, read] = NUMBERS[type];
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return /** @type {(number | boolean)[]} */ (Array.from({ length: count }, (_, i) => read(view, i * bytes)));
}

/**
 * @param {Uint8Array} value  the strings, each preceded by its 64-bit length
 * @param {number} count
 */
function stringsIn(value, count) {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Decodes the whole value with one character per byte; an ASCII string is then a slice of the result. Calling a decoder for each string
  // of a vocabulary would be slow, and concatenating characters would allocate many temporary strings.
  const plain = new TextDecoder('latin1').decode(value);
  const strings = [];
  for (let i = 0, at = 0; i < count; i++) {
    const from = at + 8;
    at = from + view.getUint32(from - 8, true); // 32 bits are enough, because a file has less than 2^32 bytes
    let next = from;
    while (next < at && value[next] < 128) next++;
    strings.push(next < at ? decoder.decode(value.subarray(from, at)) : plain.slice(from, at));
  }
  return strings;
}
