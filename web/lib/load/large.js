// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Passes a large weight file to the engine while the file arrives, so that the file and the model are never in memory at the same time.
 * This module is loaded only for large files.
 */

import { NextPixelError } from '../base/error.js';
import { part } from '../base/part.js';
import { nodeModule } from '../base/platform.js';
import { keeper } from './cache.js';
import { dropCopy } from './drop-copy.js';
import { chunksOf, joined } from './source.js';
import { sizeIn } from './whole.js';

/** @import { Job } from '../workers/job.js' */
/** @import { FedMessage, OpenedMessage } from '../engine/protocol.js' */
/** @import { Count, Large } from './source.js' */

/** Number of bytes sent in one message. */
const PIECE_BYTES = 1 << 20;

/**
 * Makes every worker read a file of known size.
 *
 * @param {Job[]} jobs  one job per worker
 * @param {WebAssembly.Module} module
 * @param {Large} large
 * @param {{ signal?: AbortSignal, onProgress?: (progress: Count) => void, patience?: number }} how
 * @returns {Promise<OpenedMessage[]>}
 */
export async function openLarge(jobs, module, large, how) {
  const { name, server, keep } = large;
  // the code for interrupted downloads is loaded while there is still a connection
  const unfinished = keep || server ? await part(() => import('./unfinished.js')).catch(() => undefined) : undefined;
  const file = (server && (await unfinished?.continued(large, server))) ?? large;
  /**
   * Buffers that the engine has returned, for reuse. Without reuse, the buffers that wait for garbage collection would add up to the size
   * of the file.
   * @type {ArrayBuffer[]}
   */
  const rooms = [];
  const response = file.response ?? (await responseOf(String(file.path), rooms));
  const chunks = chunksOf({ ...file, response }, how);

  /** Returns the next bytes of the file: at least `least`, or all remaining bytes. @param {number} least */
  const take = async (least) => {
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const taken = [];
    for (let bytes = 0; bytes < least; ) {
      const { value } = await chunks.next();
      if (!value) break;
      taken.push(/** @type {Uint8Array<ArrayBuffer>} */ (value));
      bytes += value.length;
    }
    const piece = together(taken, rooms);
    await copy?.write(piece.slice()); // a copy, because the piece itself will be transferred
    return piece;
  };
  /** @type {ReturnType<typeof copying>} */
  let copy;
  /** @param {Parameters<Job['ask']>[0]} message  @param {Transferable[]} [transfer] @returns {Promise<any[]>} */
  const ask = (message, transfer) => Promise.all(jobs.map((job, i) => job.ask(message, i === jobs.length - 1 ? transfer : undefined)));

  try {
    let head = await take(PIECE_BYTES);
    let told = file.said ? await sizeIn(head, how.signal) : file.size;
    while (told === undefined) {
      // The bytes received so far end within the list of tensors.
      const rest = await take(head.length);
      if (rest.length === 0) break;
      head = joined([head, rest]);
      told = await sizeIn(head, how.signal);
    }
    // If the response is compressed, the length of the file differs from the length that the server announced.
    const size = Math.max(file.size, told ?? 0);
    copy = file.keep ? copying(String(file.url), response, size) : undefined;
    await copy?.write(head.slice());
    /** @type {(FedMessage & { lacks?: string })[]} */
    let answers = await ask({ type: 'begin', module, head, size });
    while (answers[0].lacks) {
      const rest = await take(answers[0].lacks === 'whole' ? size - head.length : head.length);
      if (rest.length === 0 && head.length < size) throw brokeOff(name);
      head = joined([head, rest]);
      answers =
        answers[0].lacks === 'whole'
          ? await ask({ type: 'open', module, bytes: head }, [head.buffer])
          : await ask({ type: 'begin', module, head, size });
    }
    // The next piece arrives while the engine processes this one.
    let at = answers[0].type === 'fed' ? head.length : size;
    let pending = Promise.resolve(/** @type {(FedMessage | OpenedMessage)[]} */ (answers));
    // Bytes after the end of the file are not read, because a compressed response may send such bytes endlessly.
    for (let piece = await take(at < size ? PIECE_BYTES : 0); piece.length > 0; piece = await take(at < size ? PIECE_BYTES : 0)) {
      const [answer] = await pending;
      if (answer.type === 'fed') {
        if (answer.room) rooms.push(answer.room);
        const skipped = Math.max(0, answer.at - at);
        at += piece.length;
        pending = ask({ type: 'feed', bytes: piece.subarray(skipped) }, [piece.buffer]);
        pending.catch(() => {}); // errors are handled where the promise is awaited
      }
    }
    const opened = await pending;
    if (opened[0].type !== 'opened') throw brokeOff(name);
    if (copy && (await copy.close())) await unfinished?.forget(String(file.url));
    else if (copy) {
      large.warning = `The browser did not keep this file of ${Math.round(size / 1e6)} MB: it has no room, or this is a private window. The next visit downloads it again`;
    }
    return /** @type {OpenedMessage[]} */ (opened);
  } catch (error) {
    const stopped = how.signal?.aborted ?? false;
    if (copy && unfinished && (stopped || /** @type {NextPixelError} */ (error).code === 'network'))
      unfinished.keepPart(String(file.url), response, copy.bytes(), copy, stopped);
    else copy?.abort();
    throw error;
  } finally {
    void chunks.return();
  }
}

/**
 * Concatenates chunks, and frees their memory immediately where ArrayBuffer.transfer() exists (in engines since 2023).
 *
 * @param {Uint8Array<ArrayBuffer>[]} chunks
 * @param {ArrayBuffer[]} rooms  buffers to reuse
 */
function together(chunks, rooms) {
  const alone = (/** @type {Uint8Array} */ chunk) => chunk.length === chunk.buffer.byteLength;
  if (chunks.length === 1 && alone(chunks[0])) return chunks[0];
  const piece = joined(chunks, rooms.pop());
  for (const chunk of chunks) if (alone(chunk)) /** @type {any} */ (chunk.buffer).transfer?.(0);
  return piece;
}

/** @param {string} name */
function brokeOff(name) {
  return new NextPixelError('network', `${name} ended before its last byte: try again`);
}

/**
 * Returns a substitute for a Response. Its body is read from a file on disk.
 *
 * @param {string} path
 * @param {ArrayBuffer[]} rooms  buffers to read into
 */
async function responseOf(path, rooms) {
  const { open } = await nodeModule('node:fs/promises');
  const file = await open(path);
  const reader = {
    read: async () => {
      const room = rooms.pop() ?? new ArrayBuffer(PIECE_BYTES);
      const { bytesRead } = await file.read(new Uint8Array(room));
      return bytesRead > 0
        ? { done: false, value: new Uint8Array(room, 0, bytesRead) }
        : { done: true, value: undefined, closed: await file.close() };
    },
    cancel: () => file.close(),
  };
  return /** @type {Response} */ (/** @type {unknown} */ ({ body: { getReader: () => reader } }));
}

/**
 * Puts a file into the cache while the file arrives. The file is stored only once it is complete. As in cache.js, none of these functions
 * throws an error.
 *
 * @param {string} url
 * @param {Response} response
 * @param {number} size
 */
function copying(url, response, size) {
  const { readable, writable } = new TransformStream();
  const put = keeper(url, response, readable, size)?.();
  if (!put) return undefined;
  const writer = writable.getWriter();
  const over = put.then(async (kept) => {
    await readable.cancel().catch(() => {}); // if writing was aborted, no other code reads this stream any more
    return kept;
  });
  const either = (/** @type {Promise<unknown>} */ done) => Promise.race([done.catch(() => {}), over]);
  let bytes = 0;
  return {
    bytes: () => bytes,
    write: async (/** @type {Uint8Array} */ piece) => {
      await either(writer.write(piece));
      bytes += piece.length;
    },
    close: async () => {
      await either(writer.close());
      return over;
    },
    abort: () => void writer.abort().catch(() => {}),
    drop: () => dropCopy(url),
  };
}
