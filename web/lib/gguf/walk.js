// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Walks over the head of a GGUF file: the fixed header, the metadata, and the list of tensors. src/gguf.h describes the format, and this is
 * its only parser in JavaScript. Every length is checked against the number of bytes, so a file with wrong lengths is rejected before
 * memory is allocated for it.
 *
 * The bytes may be only the beginning of a file; reading past their end throws Short. gguf/header.js converts both errors, Short and
 * Refused, to errors of the library.
 */

import { TENSOR_TYPES } from './tensor-types.js';
import { ARRAY, NUMBERS, STRING } from './values.js';

/** @import { Entry } from './values.js' */

/** Size of the fixed header: magic, version, and the numbers of tensors and of keys. */
export const HEADER_BYTES = 24;
/** Alignment of the tensor data if general.alignment is missing. */
export const ALIGNMENT = 32;
/** Limits of src/gguf.h: GGUF_MAX_KEYS, GGUF_MAX_TENSORS, GGUF_MAX_NAME, GGUF_MAX_DIMENSIONS. */
export const MAX_KEYS = 1024;
export const MAX_TENSORS = 2048;
const MAX_NAME = 255;
const MAX_DIMENSIONS = 4;
/** Maximum size of the metadata in bytes. */
export const MAX_METADATA = 2 ** 28;

/** Number of strings between two yields. */
const CHUNK = 1 << 15;

/** Thrown if the bytes end before the head does. */
export class Short extends Error {}

/** Thrown if the head is damaged or exceeds a limit. */
export class Refused extends Error {
  /** @param {'format' | 'limit'} code  @param {string} name  name of the key or tensor  @param {string} reason */
  constructor(code, name, reason) {
    super(reason);
    this.code = code;
    this.about = name;
  }
}

/** @typedef {Entry & { from: number, to: number }} PlacedEntry  an entry of the metadata, and the position of the entry in the file */

/**
 * An entry of the list of tensors.
 *
 * @typedef {object} TensorEntry
 * @property {string} name
 * @property {number[]} dims  1 to 4 dimensions, the fastest-varying first
 * @property {number} type    code of the tensor's type: see tensor-types.js
 * @property {number} offset  offset of the tensor's data from the start of all tensor data
 * @property {number} bytes   size of the tensor's data; 0 if the type is unknown
 * @property {number} from    where the entry starts in the file
 * @property {number} to      where the entry ends in the file
 */

/**
 * Reads the fixed header.
 *
 * @param {Uint8Array} bytes  at least 24
 * @returns {{ version: number, tensors: number, keys: number }}
 */
export function fixedHeader(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { version: view.getUint32(4, true), tensors: Number(view.getBigUint64(8, true)), keys: Number(view.getBigUint64(16, true)) };
}

/** A walk over the head of a file. It starts after the fixed header. */
export class Walk {
  at = HEADER_BYTES;
  #strings = 0;
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** @param {Uint8Array} bytes  the first bytes of a file, or all of them */
  constructor(bytes) {
    if (bytes.length < HEADER_BYTES) throw new Short();
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Skips bytes. @param {number} count @returns {number} their offset */
  #take(count) {
    const { at } = this;
    if (!(at + count <= this.bytes.length)) throw new Short();
    this.at = at + count;
    return at;
  }

  #u32() {
    return this.view.getUint32(this.#take(4), true);
  }

  /** Reads a 64-bit number. A number beyond 2^53 is rounded, but is rejected in any case because it is too large. */
  #u64() {
    const at = this.#take(8);
    return this.view.getUint32(at, true) + this.view.getUint32(at + 4, true) * 2 ** 32;
  }

  /** @param {string} what  name to report in an error @param {number} least  minimum number of bytes */
  #name(what, least) {
    const length = this.#u64();
    if (length < least || length > MAX_NAME) throw new Refused('format', '', `the length of a ${what} is not ${least} to ${MAX_NAME}`);
    const from = this.#take(length);
    return this.#decoder.decode(this.bytes.subarray(from, from + length));
  }

  /** Reads the next entry of the metadata. @returns {Generator<void, PlacedEntry, void>} value: a view of the bytes */
  *entry() {
    const start = this.at;
    const key = this.#name('metadata key', 1);
    const type = this.#u32();
    let itemType = type;
    let count = 1;
    if (type === ARRAY) {
      itemType = this.#u32();
      count = this.#u64();
    }
    const size = itemType === STRING ? 8 : NUMBERS[itemType]?.[0]; // a string takes at least 8 bytes, which store its length
    if (!size) throw new Refused('format', key, 'the type of the value is unknown');
    if (count * size > MAX_METADATA) throw new Refused('limit', key, 'more than 256 MB of values');
    const from = this.at;
    if (itemType === STRING) {
      for (let i = 0; i < count; i++) {
        const length = this.#u64();
        if (length > MAX_METADATA) throw new Refused('format', key, 'a string is longer than the file');
        this.#take(length);
        if (++this.#strings % CHUNK === 0) yield;
      }
    } else this.#take(count * size);
    return { key, type, itemType, count, value: this.bytes.subarray(from, this.at), from: start, to: this.at };
  }

  /** Reads the next entry of the list of tensors. @returns {TensorEntry} */
  tensor() {
    const from = this.at;
    const name = this.#name("tensor's name", 0);
    const rank = this.#u32();
    if (rank < 1 || rank > MAX_DIMENSIONS) throw new Refused('limit', name, 'the number of dimensions is not 1 to 4');
    const dims = Array.from({ length: rank }, () => this.#u64());
    const type = this.#u32();
    const offset = this.#u64();
    const [, values, bytes] = TENSOR_TYPES[type] ?? ['', 1, 0];
    return { name, dims, type, offset, bytes: Math.ceil(dims.reduce((product, n) => product * n, 1) / values) * bytes, from, to: this.at };
  }
}

/** Reads the metadata. @param {Walk} walk @returns {Generator<void, PlacedEntry[], void>} */
export function* entriesOf(walk) {
  /** @type {PlacedEntry[]} */
  const entries = [];
  const seen = new Set();
  for (let left = fixedHeader(walk.bytes).keys; left > 0; left--) {
    const entry = yield* walk.entry();
    if (seen.has(entry.key)) throw new Refused('format', entry.key, 'the key occurs twice');
    seen.add(entry.key);
    entries.push(entry);
  }
  return entries;
}

/**
 * The head of a file.
 *
 * @typedef {object} Head
 * @property {PlacedEntry[]} entries  the metadata
 * @property {number} end             offset at which the metadata end
 * @property {TensorEntry[]} tensors
 * @property {number} data  offset at which the tensor data start
 * @property {number} size  size of the whole file, computed from its tensors; tensors of an unknown type count as 0 bytes
 */

/** Reads the metadata and the list of tensors. @param {Walk} walk @returns {Generator<void, Head, void>} */
export function* headOf(walk) {
  const entries = yield* entriesOf(walk);
  const end = walk.at;
  const tensors = Array.from({ length: fixedHeader(walk.bytes).tensors }, () => walk.tensor());
  const aligned = entries.find(({ key, type }) => key === 'general.alignment' && NUMBERS[type]);
  const alignment = (aligned && numberOf(aligned)) || ALIGNMENT;
  const data = alignment * Math.ceil(walk.at / alignment);
  return { entries, end, tensors, data, size: data + tensors.reduce((most, { offset, bytes }) => Math.max(most, offset + bytes), 0) };
}

/** Returns the value of an entry that is a number. @param {Entry} entry */
export const numberOf = ({ type, value }) => Number(NUMBERS[type][1](new DataView(value.buffer, value.byteOffset), 0));
