// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Reads the head of a GGUF file without the engine. This parser is used for files with a vocabulary but no weights, and for other files of
 * which only the head is needed. walk.js parses the format; this module reports errors as the engine does, yields between chunks, and
 * requests more bytes.
 */

import { NextPixelError } from '../base/error.js';
import { inTurns } from '../base/turns.js';
import { headerProblem, refusal } from './sniff.js';
import { CODES } from '../engine/protocol.js';
import { HEADER_BYTES, MAX_METADATA, Refused, Short, Walk, entriesOf, headOf } from './walk.js';

/** @import { Entry } from './values.js' */
/** @import { Head, PlacedEntry } from './walk.js' */

/**
 * Reads part of the head.
 *
 * @template T
 * @param {Uint8Array} bytes  the first bytes of a file
 * @param {boolean} whole     whether `bytes` has all bytes of the file
 * @param {(walk: Walk) => Generator<void, T, void>} read
 * @returns {Generator<void, T | undefined, void>}  undefined if more bytes are needed
 */
function* reading(bytes, whole, read) {
  const problem = bytes.length < HEADER_BYTES && !whole ? undefined : headerProblem(bytes);
  if (problem) throw problem;
  const refused = (/** @type {Pick<Refused, 'code' | 'about' | 'message'>} */ { code, about, message }) =>
    refusal(-1 - CODES.indexOf(code), bytes, { name: about, reason: message });
  try {
    return yield* read(new Walk(bytes));
  } catch (error) {
    if (error instanceof Refused) throw refused(error);
    if (!(error instanceof Short)) throw error;
    if (whole) throw refused({ code: 'format', about: '', message: 'the file is truncated' });
    if (bytes.length > MAX_METADATA) throw refused({ code: 'limit', about: '', message: 'more than 256 MB of metadata' });
    return undefined;
  }
}

/**
 * Reads the metadata.
 *
 * @param {Uint8Array} bytes  the first bytes of a file
 * @param {boolean} whole     whether `bytes` has all bytes of the file
 * @returns {Generator<void, PlacedEntry[] | undefined, void>}  undefined if more bytes are needed. The values are views of `bytes`
 */
export const readingEntries = (bytes, whole) => reading(bytes, whole, entriesOf);

/**
 * Reads the metadata and the list of tensors.
 *
 * @param {Uint8Array} bytes  the first bytes of a file
 * @param {boolean} whole     whether `bytes` has all bytes of the file
 * @returns {Generator<void, Head | undefined, void>}  undefined if more bytes are needed
 */
export const readingHead = (bytes, whole) => reading(bytes, whole, headOf);

/**
 * Reads the metadata of a file that arrives in parts.
 *
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {AbortSignal} [signal]
 * @returns {Promise<Entry[]>} resolves as soon as the metadata have arrived; the rest of the file is not read
 */
export async function readEntries(chunks, signal) {
  let bytes = new Uint8Array(1 << 16);
  let filled = 0;
  let tried = 0;
  const turn = { since: performance.now() };
  for await (const chunk of chunks) {
    if (filled + chunk.length > bytes.length) {
      const larger = new Uint8Array(Math.max(2 * bytes.length, filled + chunk.length));
      larger.set(bytes.subarray(0, filled));
      bytes = larger;
    }
    bytes.set(chunk, filled);
    filled += chunk.length;
    // Parses again only when the bytes have grown by half, because each attempt starts from the beginning.
    if (filled < 1.5 * tried) continue;
    tried = filled;
    const entries = await inTurns(readingEntries(bytes.subarray(0, filled), false), signal, turn);
    if (entries) return entries;
  }
  const entries = await inTurns(readingEntries(bytes.subarray(0, filled), true), signal, turn);
  if (!entries) throw new NextPixelError('format', 'The weight file is truncated: download it again');
  return entries;
}
