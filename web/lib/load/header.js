// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The metadata at the beginning of a GGUF file, read without the engine: for a file that has a vocabulary and no weights,
 * or whose beginning alone is wanted. The format is described in src/gguf.h. Every length is checked against what is
 * there, so a file that lies about itself is refused and never makes anything grow.
 */

import { NextPixelError } from '../base/error.js';
import { atOnce, inTurns } from '../base/turns.js';
import { headerProblem, refusal } from './sniff.js';
import { CODES } from '../engine/protocol.js';

/** @import { ErrorCode } from '../engine/protocol.js' */
/** @import { Entry } from '../engine/metadata.js' */

/** The most bytes of metadata that are read. */
const MOST_BYTES = 2 ** 28;
/** GGUF_MAX_NAME of src/gguf.h. */
const MAX_NAME = 255;

/** Texts between two turns that others may have. */
const SLICE = 1 << 15;

/** Bytes of a value of each type; 0 where it depends. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const STRING = 8;
const ARRAY = 9;

/** Says that the bytes end before the metadata do. */
class Short extends Error {}

/**
 * @param {Uint8Array} bytes  the first ones of a file
 * @param {boolean} whole     that is all of it
 * @returns {Generator<void, Entry[] | undefined, void>}  undefined: more bytes are needed. Values are views of `bytes`
 */
export function* readingHeader(bytes, whole) {
  const problem = bytes.length < 24 && !whole ? undefined : headerProblem(bytes);
  if (problem) throw problem;
  try {
    return yield* entriesOf(new Cursor(bytes));
  } catch (error) {
    if (!(error instanceof Short)) throw error;
    if (whole) throw refused('format', '', 'the file is truncated', bytes);
    if (bytes.length > MOST_BYTES) throw refused('limit', '', 'more than 256 MB of metadata', bytes);
    return undefined;
  }
}

/**
 * The metadata of a file that is all there, with where each entry stands, and where they end.
 *
 * @param {Uint8Array} bytes
 * @returns {Generator<void, { entries: (Entry & { from: number, to: number })[], end: number }, void>}
 */
export function* readingEntries(bytes) {
  let end = 24;
  const entries = ((yield* readingHeader(bytes, true)) ?? []).map((entry) => {
    const from = end;
    end = entry.value.byteOffset - bytes.byteOffset + entry.value.length;
    return { ...entry, from, to: end };
  });
  return { entries, end };
}

/** The same at once. @param {Uint8Array} bytes */
export function entriesIn(bytes) {
  return atOnce(readingEntries(bytes));
}

/**
 * @param {ErrorCode} code
 * @param {string} name
 * @param {string} reason
 * @param {Uint8Array} bytes
 */
function refused(code, name, reason, bytes) {
  return refusal(-1 - CODES.indexOf(code), bytes, { name, reason });
}

class Cursor {
  at = 24; // magic, version, two counts

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @param {number} count */
  take(count) {
    const { at } = this;
    if (!(at + count <= this.bytes.length)) throw new Short();
    this.at = at + count;
    return at;
  }

  u32() {
    return this.view.getUint32(this.take(4), true);
  }

  /** As a number: beyond 2^53 it is rounded, and too large in any case. */
  u64() {
    const at = this.take(8);
    return this.view.getUint32(at, true) + this.view.getUint32(at + 4, true) * 2 ** 32;
  }
}

/** @param {Cursor} cursor @returns {Generator<void, Entry[], void>} */
function* entriesOf(cursor) {
  const { bytes } = cursor;
  if (bytes.length < 24) throw new Short();
  const count = Number(cursor.view.getBigUint64(16, true));
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** @type {Entry[]} */
  const entries = [];
  const seen = new Set();
  for (let i = 0; i < count; i++) {
    const length = cursor.u64();
    if (length < 1 || length > MAX_NAME) throw refused('format', '', 'the length of a metadata key is not 1 to 255', bytes);
    const from = cursor.take(length);
    const key = decoder.decode(bytes.subarray(from, from + length));
    if (seen.has(key)) throw refused('format', key, 'the key occurs twice', bytes);
    seen.add(key);
    entries.push(yield* entryOf(cursor, key));
  }
  return entries;
}

/**
 * @param {Cursor} cursor
 * @param {string} key
 * @returns {Generator<void, Entry, void>}
 */
function* entryOf(cursor, key) {
  const { bytes } = cursor;
  const type = cursor.u32();
  let itemType = type;
  let count = 1;
  if (type === ARRAY) {
    itemType = cursor.u32();
    count = cursor.u64();
  }
  if (!(type < SIZES.length) || !(itemType < SIZES.length) || itemType === ARRAY) {
    throw refused('format', key, 'the type of the value is unknown', bytes);
  }
  // Each item takes a byte at least, and a string eight for its length.
  if (count * (SIZES[itemType] || 8) > MOST_BYTES) throw refused('limit', key, 'more than 256 MB of values', bytes);
  const from = cursor.at;
  if (itemType === STRING) {
    for (let i = 0; i < count; i++) {
      const length = cursor.u64();
      if (length > MOST_BYTES) throw refused('format', key, 'a text is longer than the file', bytes);
      cursor.take(length);
      if (i % SLICE === SLICE - 1) yield;
    }
  } else {
    cursor.take(count * SIZES[itemType]);
  }
  return { key, type, itemType, count, value: bytes.subarray(from, cursor.at) };
}

/**
 * The metadata of a file that arrives in parts.
 *
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {AbortSignal} [signal]
 * @returns {Promise<Entry[]>} as soon as they are there; the rest is not read
 */
export async function readEntries(chunks, signal) {
  let bytes = new Uint8Array(1 << 16);
  let filled = 0;
  let tried = 0;
  for await (const chunk of chunks) {
    if (filled + chunk.length > bytes.length) {
      const larger = new Uint8Array(Math.max(2 * bytes.length, filled + chunk.length));
      larger.set(bytes.subarray(0, filled));
      bytes = larger;
    }
    bytes.set(chunk, filled);
    filled += chunk.length;
    if (filled < 1.5 * tried) continue; // reading from the beginning each time stays linear
    tried = filled;
    const entries = await inTurns(readingHeader(bytes.subarray(0, filled), false), signal);
    if (entries) return entries;
  }
  const entries = await inTurns(readingHeader(bytes.subarray(0, filled), true), signal);
  if (!entries) throw new NextPixelError('format', 'The weight file is truncated: download it again');
  return entries;
}
