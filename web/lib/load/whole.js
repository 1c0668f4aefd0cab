// SPDX-License-Identifier: MIT
// @ts-check

/** Computes the size of a file from its head; this module is loaded only if the server announces no size or a wrong size. */

import { inTurns } from '../base/turns.js';
import { readingHead } from '../gguf/header.js';
import { sizeProblem } from '../gguf/sniff.js';

/**
 * Returns the size of a file. The file ends where its last tensor ends.
 *
 * @param {Uint8Array} head
 * @param {AbortSignal} [signal]
 * @returns {Promise<number | undefined>} undefined if more bytes are needed; 0 if the head is damaged, in which case the engine reports the
 *   reason
 */
export async function sizeIn(head, signal) {
  try {
    return (await inTurns(readingHead(head, false), signal))?.size;
  } catch {
    signal?.throwIfAborted();
    return 0;
  }
}

/** Maps the list of a file's chunks to the size of the file. `seen`: the number of bytes from which the size was computed.
 * @type {WeakMap<Uint8Array[], { size: number | undefined, seen: number }>} */
const sizes = new WeakMap();

/**
 * Returns whether the chunks of a file reach its end. Also returns true if the head is damaged: the engine then opens the file and reports
 * the damage.
 *
 * @param {Uint8Array[]} chunks  the chunks of the file so far; each call must get the same list, with chunks added at its end
 * @param {number} loaded  the number of bytes in these chunks
 * @param {number} most  maximum size of a file in bytes; a larger file is rejected
 * @param {AbortSignal} [signal]
 */
export async function isWhole(chunks, loaded, most, signal) {
  let { size, seen } = sizes.get(chunks) ?? { size: undefined, seen: 0 };
  if (size === undefined && loaded >= 1.5 * seen) {
    // the bytes have grown by half since the last attempt, so all attempts together take linear time
    size = await sizeIn(new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (chunks)).arrayBuffer()), signal);
    seen = loaded;
    sizes.set(chunks, { size, seen });
    if (size !== undefined && size > most) throw sizeProblem();
  }
  return size !== undefined && loaded >= size;
}
