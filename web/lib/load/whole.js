// SPDX-License-Identifier: MIT
// @ts-check

/** Finds the size of a file from its head, if the server reports none or a wrong one. Loaded only then. */

import { inTurns } from '../base/turns.js';
import { readingHead } from '../gguf/header.js';
import { sizeProblem } from '../gguf/sniff.js';

/**
 * The size of a file, from the end of its tensors.
 *
 * @param {Uint8Array} head
 * @param {AbortSignal} [signal]
 * @returns {Promise<number | undefined>} undefined: more bytes are needed; 0: the head is damaged, and the engine reports why
 */
export async function sizeIn(head, signal) {
  try {
    return (await inTurns(readingHead(head, false), signal))?.size;
  } catch {
    signal?.throwIfAborted();
    return 0;
  }
}

/** Sizes of files by their first chunks, with the number of bytes read.
 * @type {WeakMap<Uint8Array[], { size: number | undefined, seen: number }>} */
const sizes = new WeakMap();

/**
 * Returns whether the chunks of a file reach its end, or its head is damaged, which the engine reports.
 *
 * @param {Uint8Array[]} chunks  the same growing list each time
 * @param {number} most  bytes of a file: a larger one is refused
 * @param {AbortSignal} [signal]
 */
export async function isWhole(chunks, most, signal) {
  const loaded = chunks.reduce((sum, { length }) => sum + length, 0);
  let { size, seen } = sizes.get(chunks) ?? { size: undefined, seen: 0 };
  if (size === undefined && loaded >= 1.5 * seen) {
    // doubles, so that rereading from the beginning stays linear
    size = await sizeIn(new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (chunks)).arrayBuffer()), signal);
    seen = loaded;
    sizes.set(chunks, { size, seen });
    if (size !== undefined && size > most) throw sizeProblem();
  }
  return size !== undefined && loaded >= size;
}
