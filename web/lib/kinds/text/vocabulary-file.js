// SPDX-License-Identifier: MIT
// @ts-check

/** Reads only the vocabulary of a weight file, without its weights and without a worker. */

import { bytesOfBlob, isBlob } from '../../base/blob.js';
import { inTurns } from '../../base/turns.js';
import { Tokenizer } from './tokenizer.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { readEntries } from '../../gguf/header.js';
import { lookupOf } from '../../gguf/metadata.js';
import { inNode, nodeModule } from '../../base/platform.js';
import { classOf } from '../../base/realm.js';
import { bytesOf, checkResponse, chunksOf, disk, fetchOrFail, isAddress, isBytes } from '../../load/source.js';

/** @typedef {string | URL | Response | ArrayBuffer | Uint8Array | Blob} VocabularySource */

/**
 * Implements tokenizer() of index.js.
 *
 * @param {VocabularySource} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<Tokenizer>}
 */
export async function tokenizerOf(source, signal) {
  signal?.throwIfAborted();
  const chunks = await partsOf(source, signal);
  return inTurns(Tokenizer.reading(lookupOf(await readEntries(chunks, signal))), signal);
}

/**
 * @param {VocabularySource} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<AsyncIterable<Uint8Array>>}
 */
async function partsOf(source, signal) {
  if (isBytes(source)) {
    // bytesOf() rejects a detached array, whose length is 0
    const bytes = ArrayBuffer.isView(source) && source.length > 0 ? source : bytesOf(source);
    return inParts(bytes.length, async (from, to) => bytes.subarray(from, to));
  }
  if (isBlob(source)) {
    return inParts(source.size, (from, to) => bytesOfBlob(source.slice(from, to), signal));
  }
  /** @param {Response} response @param {string} [url] */
  const arriving = (response, url) => {
    const name = url ?? (response.url || 'the response');
    return chunksOf({ name, url, response, size: checkResponse(response, name) }, { signal });
  };
  if (classOf(source) === 'Response') return arriving(/** @type {Response} */ (source));
  if (!isAddress(/** @type {any} */ (source)))
    throw argumentError('tokenizer() takes the address of a weight file, a Response, its bytes or a Blob');
  const path = inNode ? await (await disk()).filePath(/** @type {string | URL} */ (source)) : undefined;
  if (path !== undefined) return chunksOfFile(path, signal);
  return arriving(await fetchOrFail(String(source), signal), String(source));
}

/** Number of bytes that are read first from a file. Each further read doubles the total number of bytes. */
const PART_BYTES = 1 << 20;

/**
 * @param {number} size
 * @param {(from: number, to: number) => Promise<Uint8Array>} read
 */
async function* inParts(size, read) {
  for (let from = 0, to = PART_BYTES; from < size; from = to, to *= 2) yield await read(from, Math.min(to, size));
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
async function* chunksOfFile(path, signal) {
  await (await disk()).sizeOfFile(path); // throws if the path is a folder, which has no size
  const { open } = await nodeModule('node:fs/promises');
  let file;
  try {
    file = await open(path);
  } catch (cause) {
    throw new NextPixelError('network', `Cannot read the file ${path} (${cause instanceof Error ? cause.message : cause})`, { cause });
  }
  try {
    for (let bytes = PART_BYTES; ; bytes *= 2) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(bytes), 0, bytes);
      signal?.throwIfAborted();
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
