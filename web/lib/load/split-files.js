// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Reads a model that llama.cpp has split into several files. Each part is a GGUF file with some of the tensors, and the first part has all
 * the metadata. The parts are joined into one file in memory. This module is loaded only for a model in several files.
 */

import { NextPixelError, argumentError } from '../base/error.js';
import { readingHead } from '../gguf/header.js';
import { valueOf } from '../gguf/metadata.js';
import { ALIGNMENT, HEADER_BYTES } from '../gguf/walk.js';
import { inTurns } from '../base/turns.js';
import { hubAddress } from './hub.js';
import { MAX_BYTES, chunksOf, disk, isAddress, joined, readSource } from './source.js';

/** @import { Source } from './source.js' */

const MOST_PARTS = 256;
/** Number of bytes copied between two yields to the event loop. */
const SLICE = 2 ** 22;

/**
 * @typedef {{ head: Uint8Array, bytes: Uint8Array }} Tensor  head: the tensor's entry without the offset; bytes: the tensor's data, with
 * padding
 */

/**
 * Joins the parts into one file.
 *
 * @param {Uint8Array[]} parts  the bytes of each part, in any order
 * @returns {Generator<void, Uint8Array<ArrayBuffer>, void>}
 * @internal
 */
export function* joiningParts(parts) {
  const read = [];
  for (const bytes of parts) read.push(yield* readingPart(bytes));
  const problem = (/** @type {string} */ what) =>
    new NextPixelError('format', `These are not all the parts of one model (${what}): pass each of its files once`);
  const count = read[0].count;
  read.forEach((part) => {
    if (part.count !== count) throw problem(`one is of ${part.count} parts, another of ${count}`);
  });
  if (count !== parts.length) throw problem(`${parts.length} files, of a model in ${count}`);
  read.sort((a, b) => a.index - b.index);
  read.forEach(({ index }, i) => {
    if (index !== i) throw problem(`part ${i + 1} is missing`);
  });
  const [first] = read;
  const keys = first.entries.filter(({ key }) => !key.startsWith('split.') && key !== 'general.alignment');
  const tensors = read.flatMap((part) => part.tensors);
  if (first.total !== undefined && first.total !== tensors.length) throw problem(`${tensors.length} tensors of ${first.total}`);
  const headBytes =
    HEADER_BYTES + keys.reduce((sum, { from, to }) => sum + to - from, 0) + tensors.reduce((sum, { head }) => sum + head.length + 8, 0);
  const aligned = (/** @type {number} */ at) => ALIGNMENT * Math.ceil(at / ALIGNMENT);
  const start = aligned(headBytes);
  const file = new Uint8Array(start + tensors.reduce((sum, { bytes }) => sum + aligned(bytes.length), 0));
  const view = new DataView(file.buffer);
  file.set(first.bytes.subarray(0, 8));
  view.setBigUint64(8, BigInt(tensors.length), true);
  view.setBigUint64(16, BigInt(keys.length), true);
  let at = HEADER_BYTES;
  const put = (/** @type {Uint8Array} */ bytes) => {
    file.set(bytes, at);
    at += bytes.length;
  };
  for (const { from, to } of keys) yield put(first.bytes.subarray(from, to));
  let offset = 0;
  for (const { head, bytes } of tensors) {
    put(head);
    view.setBigUint64(at, BigInt(offset), true);
    at += 8;
    for (let from = 0; from < bytes.length; from += SLICE) {
      file.set(bytes.subarray(from, from + SLICE), start + offset + from);
      yield;
    }
    offset += aligned(bytes.length);
  }
  return file;
}

/** @param {Uint8Array} bytes  the bytes of one part */
function* readingPart(bytes) {
  const { entries, tensors: list, data } = /** @type {import('../gguf/walk.js').Head} */ (yield* readingHead(bytes, true));
  const damaged = () => new NextPixelError('format', 'A part of the model is damaged or incomplete: download it again');
  const number = (/** @type {string} */ key) => {
    const entry = entries.find((one) => one.key === key);
    const value = entry && valueOf(entry);
    if (entry && !(typeof value === 'number' && Number.isInteger(value) && value >= 0)) throw damaged();
    return /** @type {number | undefined} */ (value);
  };
  number('general.alignment');
  // The data of a tensor ends where the data of the next tensor begins. Two tensors must not share data. Otherwise, a small file could
  // require any amount of memory.
  const sorted = [...list].sort((a, b) => a.offset - b.offset);
  /** @type {Map<object, Tensor>} */
  const tensors = new Map();
  sorted.forEach((entry, i) => {
    const { offset, bytes: own, from, to } = entry;
    const next = sorted[i + 1]?.offset ?? bytes.length - data;
    if (!(next > offset && next - offset >= own && data + next <= bytes.length)) throw damaged();
    tensors.set(entry, { head: bytes.subarray(from, to - 8), bytes: bytes.subarray(data + offset, data + next) });
  });
  return {
    bytes,
    entries,
    tensors: list.map((entry) => /** @type {Tensor} */ (tensors.get(entry))),
    index: number('split.no') ?? 0,
    count: number('split.count') ?? 1,
    total: number('split.tensors.count'),
  };
}

/** Matches the file name of the first of several parts. */
const FIRST = /-00001-of-(\d{5})\.gguf/;

/**
 * Reads and joins the parts of a model.
 *
 * @param {Source | Source[]} source  a list of all parts, or the address of the first one, ...-00001-of-00003.gguf
 * @param {{ signal?: AbortSignal, patience?: number, cache?: boolean }} how
 * @returns {Promise<{ bytes: Uint8Array<ArrayBuffer>, warning: string | undefined }>} warning: set if a cached copy of a part was used,
 * because the server of the part failed
 */
export async function readParts(source, { signal, patience, cache }) {
  const count = Array.isArray(source) ? source.length : Number(FIRST.exec(String(source))?.[1]);
  if (!(count > 0 && count <= MOST_PARTS))
    throw argumentError(`load() takes the address of a weight file, or a list of 1 to ${MOST_PARTS} parts of one file`);
  /** @type {Source[]} */
  const sources = Array.isArray(source)
    ? Array.from(source)
    : Array.from({ length: count }, (_, i) => String(source).replace(FIRST, `-${String(i + 1).padStart(5, '0')}-of-$1.gguf`));
  const parts = [];
  let bytes = 0;
  /** @type {string | undefined} */
  let warning;
  for (const one of sources) {
    const {
      bytes: whole,
      large,
      keep,
      warning: said,
    } = await readSource(isAddress(one) ? hubAddress(String(one)) : one, { signal, patience, cache });
    void keep?.();
    warning ??= said;
    const part = !large
      ? whole
      : large.path === undefined
        ? await all(chunksOf(large, { signal, patience }))
        : await (await disk()).readFile(large.path, signal);
    bytes += part.length;
    if (bytes > MAX_BYTES)
      throw new NextPixelError(
        'limit',
        'The parts of this model are larger than 3.75 GiB together: use a smaller model, or one with fewer bits a weight',
      );
    parts.push(part);
  }
  return { bytes: await inTurns(joiningParts(parts), signal), warning };
}

/** @param {AsyncIterable<Uint8Array>} chunks */
async function all(chunks) {
  const list = [];
  for await (const chunk of chunks) list.push(chunk);
  return joined(list);
}
