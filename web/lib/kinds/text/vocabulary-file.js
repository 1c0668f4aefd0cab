// SPDX-License-Identifier: MIT
// @ts-check

/** The vocabulary of a weight file by itself: no weights are read and no worker is started. */

import { bytesOfBlob, isBlob } from '../../base/blob.js';
import { Tokenizer } from './tokenizer.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { readEntries } from '../../load/header.js';
import { lookupOf } from '../../engine/metadata.js';
import { inNode, nodeModule } from '../../base/platform.js';
import { classOf } from '../../base/realm.js';
import { disk, fetchOrFail, isBytes } from '../../load/source.js';

/** @typedef {string | URL | Response | ArrayBuffer | Uint8Array | Blob} VocabularySource */

/**
 * As tokenizer() in index.js.
 *
 * @param {VocabularySource} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<Tokenizer>}
 */
export async function tokenizerOf(source, signal) {
  signal?.throwIfAborted();
  const chunks = await chunksOf(source, signal);
  return new Tokenizer(lookupOf(await readEntries(chunks)));
}

/**
 * @param {VocabularySource} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<AsyncIterable<Uint8Array>>}
 */
async function chunksOf(source, signal) {
  const kind = classOf(source);
  if (isBytes(source)) return once(new Uint8Array(source));
  if (isBlob(source)) return chunksOfBlob(source, signal);
  if (kind === 'Response') {
    const response = /** @type {Response} */ (source);
    return chunksOfResponse(response, response.url || 'the response', signal);
  }
  if (typeof source !== 'string' && kind !== 'URL') {
    throw argumentError('tokenizer() takes the address of a weight file, a Response, its bytes or a Blob');
  }
  const path = inNode ? await (await disk()).filePath(/** @type {string | URL} */ (source)) : undefined;
  if (path !== undefined) return chunksOfFile(path, signal);
  return chunksOfResponse(await fetchOrFail(String(source), signal), String(source), signal);
}

/** @param {Uint8Array} bytes */
async function* once(bytes) {
  yield bytes;
}

/** Bytes of a file that are read at first; then twice as many each time. */
const PART_BYTES = 1 << 20;

/**
 * @param {Blob} blob
 * @param {AbortSignal} [signal]
 */
async function* chunksOfBlob(blob, signal) {
  for (let at = 0; at < blob.size;) {
    const to = Math.max(2 * at, PART_BYTES);
    yield await bytesOfBlob(blob.slice(at, to));
    signal?.throwIfAborted();
    at = to;
  }
}

/**
 * @param {Response} response
 * @param {string} name
 * @param {AbortSignal} [signal]
 */
async function* chunksOfResponse(response, name, signal) {
  if (!response.ok) {
    void response.body?.cancel().catch(() => {});
    throw new NextPixelError('network', `Cannot fetch ${name}: the server answered ${response.status} ${response.statusText}`.trimEnd());
  }
  if (response.bodyUsed) throw argumentError('The body of this Response was read already: fetch it again');
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      signal?.throwIfAborted();
      if (done || !value) return;
      yield value;
    }
  } finally {
    void reader?.cancel().catch(() => {}); // the weights are not wanted
  }
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
async function* chunksOfFile(path, signal) {
  await (await disk()).sizeOfFile(path); // which a folder has none of
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
