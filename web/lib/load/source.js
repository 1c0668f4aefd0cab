// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the bytes of a weight file from its source: an address, a response, memory or, in Node, a file on disk (disk.js). */

import { storedCopy, isSame, keeper } from './cache.js';
import { show } from '../base/checks.js';
import { NextPixelError, argumentError } from '../base/error.js';
import { part } from '../base/part.js';
import { PATIENCE_MS, patientReader, within } from './patience.js';
import { inNode } from '../base/platform.js';
import { classOf } from '../base/realm.js';

/** @typedef {string | URL | Blob | Response | ReadableStream<Uint8Array> | ArrayBuffer | Uint8Array} Source */
/** @typedef {{ loaded: number, total: number | undefined, head?: Uint8Array }} Count  bytes */
/** Number of bytes at the beginning of a file that identify its format. */
const HEAD_BYTES = 4096;
/** Files of at least this size are passed to the engine while they arrive, and are never in memory as a whole. */
const LARGE_BYTES = 2 ** 25;
/** Equals GGUF_MAX_BYTES of src/gguf.h. @internal */
export const MAX_BYTES = 0xf0000000;

/** The phases of load(). `connect`: waits for the server; `download`: reads the file; `compile`: starts the engine and opens the file in
 * it; `ready`: done.
 * @typedef {'connect' | 'download' | 'compile' | 'ready'} Phase */
/** The progress in bytes; `total` is undefined if the size is not known in advance. `head`: the first few thousand bytes of a file that is
 * being downloaded.
 * @typedef {{ phase: Phase, loaded: number, total: number | undefined, head?: Uint8Array }} Progress */

/**
 * @typedef {object} Contents
 * @property {Uint8Array<ArrayBuffer>} bytes  the bytes of the file, which are not shared and may therefore be transferred
 * @property {() => Promise<unknown>} [keep]  a function that stores the file in the cache; called once the file has proved to be valid
 * @property {Large} [large]                  set if the file is large; `bytes` is then empty
 * @property {string} [warning]               a human-readable warning that the file is a cached copy, because the server could not be
 *   reached
 */
/**
 * A large file that has not been read yet.
 *
 * @typedef {object} Large
 * @property {string} name              name for messages
 * @property {number} size
 * @property {boolean} [said]           whether the size was announced by the server, and may therefore be the compressed size
 * @property {Response} [response]      the response from which to read the file
 * @property {string} [path]            in Node, the path of the file, if there is no response
 * @property {string} [url]             address for further requests
 * @property {boolean} [keep]           whether to put the file into the cache
 * @property {Large} [server]           for a cached copy: the same file on its server
 * @property {string} [warning]         a human-readable warning, set after reading, that the browser did not cache the file
 */

/**
 * @param {Source} source
 * @param {{ onProgress?: (progress: Count) => void, signal?: AbortSignal, integrity?: string, cache?: boolean, patience?: number, fresh?: boolean }} [options]
 *   fresh: whether to read the file from the server instead of from a cache
 * @returns {Promise<Contents>}
 * @internal
 */
export async function readSource(source, { onProgress, signal, integrity, cache = true, patience, fresh = false } = {}) {
  const check = integrity === undefined ? undefined : (await part(() => import('./integrity.js'))).checkOf(integrity);
  signal?.throwIfAborted();
  let bytes, fetched;
  const given = isAddress(source) || isBytes(source) ? source : await (await part(() => import('./handed.js'))).handed(source);
  if (isBytes(given)) {
    bytes = bytesOf(given); // bytesOf() copies a typed array
    if (!ArrayBuffer.isView(given)) bytes = bytes.slice();
    onProgress?.({ loaded: bytes.length, total: bytes.length });
  } else {
    const url = String(given);
    /** @type {Large} */
    let file;
    if (!isAddress(given)) file = given;
    else {
      const path = inNode ? await (await disk()).filePath(given) : undefined;
      if (path === undefined) {
        fetched = fresh
          ? { response: await fetchOrFail(url, signal, { cache: 'reload', patience }), copied: false }
          : await fetchOrCopy(url, cache, { signal, patience });
        file = { name: url, size: 0, response: fetched.response, url: fetched.copied ? undefined : url, keep: cache && !fetched.copied };
      } else {
        file = { name: path, size: await (await disk()).sizeOfFile(path), path };
      }
    }
    const { response, path } = file;
    file.said = file.size === 0;
    file.size ||= response ? checkResponse(response, file.name) : 0;
    if (file.size > MAX_BYTES) {
      void response?.body?.cancel().catch(() => {});
      throw await tooLarge();
    }
    if (file.size >= LARGE_BYTES && !check) {
      const copy = await fetched?.same;
      if (copy) {
        void response?.body?.cancel().catch(() => {});
        file = { ...file, response: copy, url: undefined, keep: false, server: file };
      }
      return { bytes: new Uint8Array(0), large: file, warning: fetched?.warning };
    }
    if (path !== undefined) {
      bytes = await (await disk()).readFile(path, signal);
      onProgress?.({ loaded: bytes.length, total: bytes.length });
    } else {
      bytes = fetched?.copied
        ? await readCopy(fetched.response, url, onProgress, signal)
        : await readUnlessKept(file, { patience, onProgress, signal }, fetched);
    }
  }
  await check?.(bytes);
  signal?.throwIfAborted();
  const problem = await headerProblem(bytes.subarray(0, HEAD_BYTES), true);
  if (problem) throw problem;
  return {
    bytes,
    warning: fetched?.warning,
    keep: cache && fetched && !fetched.copied ? keeper(String(source), fetched.response, bytes) : undefined,
  };
}

/** Reads files from disk in Node. @internal */
export const disk = () => part(() => import('./disk.js'));

/**
 * Returns whether a source is an address, which can be read a second time.
 *
 * @param {unknown} source
 * @returns {source is string | URL}
 * @internal
 */
export function isAddress(source) {
  return typeof source === 'string' || classOf(source) === 'URL';
}

/** Returns whether a source gives the same bytes if it is read again. @param {Source} source @internal */
export function isLasting(source) {
  return isAddress(source) || /Blob|File/.test(classOf(source));
}

/** @param {unknown} source @returns {source is ArrayBuffer | Uint8Array} @internal */
export function isBytes(source) {
  return /^ArrayB|^Uint8Array$/.test(classOf(source));
}

/**
 * @param {ArrayBuffer | Uint8Array} source
 *
 * @returns {Uint8Array<ArrayBuffer>} a copy of a typed array, or a view of an ArrayBuffer
 * @internal
 */
export function bytesOf(source) {
  try {
    return new Uint8Array(source);
  } catch {
    throw argumentError('This ArrayBuffer is detached: its bytes were transferred elsewhere');
  }
}

/**
 * The result of a request for an address.
 *
 * @typedef {object} Fetched
 * @property {Response} response
 * @property {boolean} copied                         whether the response comes from the cache
 * @property {string} [warning]                       a human-readable warning that the response comes from the cache, because the server
 *   could not be reached
 * @property {Promise<Response | undefined>} [same]   for a response from the server: the cached copy, if it has the same contents
 */

/**
 * Fetches the file at an address. The result is the server's response or, if the server cannot be reached, the cached copy.
 *
 * @param {string} url
 * @param {boolean} cache
 * @param {{ signal?: AbortSignal, patience?: number }} how
 * @returns {Promise<Fetched>}
 */
async function fetchOrCopy(url, cache, { signal, patience }) {
  if (!cache) return { response: await fetchOrFail(url, signal, { patience }), copied: false };
  const looking = storedCopy(url); // runs while the server is contacted
  const instead = (/** @type {Response} */ response, /** @type {string} */ why) => ({
    response,
    copied: true,
    warning: `A cached copy: the server ${why}`,
  });
  try {
    const response = await fetchOrFail(url, signal, { patience });
    const kept = response.status >= 500 && (await looking); // if the server fails, the cached copy is used
    if (kept) return instead(kept, `answers ${response.status}`);
    return { response, copied: false, same: looking.then((copy) => (copy && isSame(response, copy) ? copy : undefined)) };
  } catch (error) {
    const copy = await looking;
    signal?.throwIfAborted();
    if (copy) return instead(copy, 'cannot be reached');
    throw error;
  }
}

/**
 * Returns the bytes of the cached copy if the server has the same file, otherwise the bytes that the server sends. The download starts
 * before the lookup of the copy is complete. On a first visit, the lookup takes as long as downloading megabytes.
 *
 * @param {Large} file
 * @param {{ patience?: number, onProgress?: (progress: Count) => void, signal?: AbortSignal }} how
 * @param {Fetched} [fetched]  `copied` is set if the copy was used
 */
async function readUnlessKept(file, { onProgress, signal, patience }, fetched) {
  if (!fetched?.same) return readWhole(file, { onProgress, signal, patience });
  const { same } = fetched;
  const stopper = new AbortController();
  const stop = () => stopper.abort(signal?.reason);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  try {
    const sending = readWhole(file, { onProgress, signal: stopper.signal, patience });
    sending.catch(() => {}); // errors are reported where the promise is awaited
    const copy = await same;
    if (!copy) return await sending;
    stop();
    fetched.copied = true;
    return await readCopy(copy, file.name, onProgress, signal);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * @param {string | URL} url
 * @param {AbortSignal} [signal]
 * @param {{ cache?: RequestCache, patience?: number }} [how]  patience: the longest time without data, in milliseconds
 * @internal
 */
export async function fetchOrFail(url, signal, { cache, patience = PATIENCE_MS } = {}) {
  const stopper = new AbortController();
  const stop = () => stopper.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  try {
    return await within(fetch(url, { signal: stopper.signal, cache }), patience);
  } catch (cause) {
    stop();
    signal?.throwIfAborted();
    throw new NextPixelError(
      'network',
      `Cannot fetch ${String(url).slice(0, 300)} (${messageOf(cause)}). Check the address and the connection. A server of ` +
        'another origin must answer with Access-Control-Allow-Origin, and a Content-Security-Policy must allow connect-src ' +
        `${/^https?:\/\/[^/?#]+/.exec(String(url))?.[0] ?? "'self'"}`,
      { cause },
    );
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * Yields the bytes of a file as they arrive. A file that is not a weight file or is too large is rejected as soon as this is known.
 *
 * @param {Large} file
 * @param {{ patience?: number, onProgress?: (progress: Count) => void, signal?: AbortSignal }} how
 * @returns {AsyncGenerator<Uint8Array, void, void>}
 * @internal
 */
export async function* chunksOf({ name, url, size, response }, { patience, onProgress, signal }) {
  /** @type {Uint8Array} */
  let head = new Uint8Array(0);
  let loaded = 0;
  let done = false;
  const reader = url === undefined ? response?.body?.getReader() : patientReader(/** @type {Response} */ (response), url, signal, patience);
  const stop = () => void reader?.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      const { value } = await readChunk(reader, name, signal);
      done = value === undefined;
      if (value === undefined) return;
      if (classOf(value) !== 'Uint8Array') throw argumentError(`Chunks of ${name} must be Uint8Arrays, not ${show(value)}`);
      loaded += value.length;
      if (loaded > MAX_BYTES) throw await tooLarge();
      if (head.length < HEAD_BYTES) {
        head = joined([head, value.subarray(0, HEAD_BYTES)]);
        const problem = await headerProblem(head);
        if (problem) throw problem;
      }
      onProgress?.({ loaded, total: loaded <= size ? size : undefined, head });
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    if (!done) stop();
  }
}

/**
 * @param {Response} response
 * @param {string} name
 * @returns {number} size of the body in bytes; 0 if it is unknown
 * @internal
 */
export function checkResponse(response, name) {
  if (!response.ok) {
    void response.body?.cancel().catch(() => {});
    throw new NextPixelError(
      'network',
      `Cannot fetch ${name}: the server answered ${response.status} ` + `${response.statusText}`.trimEnd(),
    );
  }
  if (response.bodyUsed || response.body?.locked) throw argumentError('This Response was read already, or is being read: fetch it again');
  // For an encoded response, the announced length differs from the length of the decoded body.
  return response.headers.get('content-encoding') ? 0 : Number(response.headers.get('content-length')) || 0;
}

/** @param {Large} file  @param {Parameters<typeof chunksOf>[1]} how */
async function readWhole(file, how) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let loaded = 0;
  for await (const chunk of chunksOf(file, how)) {
    chunks.push(chunk);
    loaded += chunk.length;
    // A compressed response may be much longer than announced, or may continue endlessly after the file.
    if (
      loaded > LARGE_BYTES &&
      loaded > file.size &&
      (await (await part(() => import('./whole.js'))).isWhole(chunks, loaded, MAX_BYTES, how.signal))
    )
      break;
  }
  return joined(chunks);
}

/** Loads the module that identifies files that are not GGUF. Returns undefined if the module cannot be loaded. */
const sniffer = () => part(() => import('../gguf/sniff.js'), []).catch(() => undefined);

const tooLarge = async () => (await sniffer())?.sizeProblem() ?? new NextPixelError('limit', 'The file is too large');

/** The first bytes of every weight file: magic and version. */
const START = [0x47, 0x47, 0x55, 0x46, 3, 0, 0, 0];

/**
 * Returns the error in the header of a file, or undefined if no error has been found so far.
 *
 * @param {Uint8Array} head
 * @param {boolean} [whole]  whether the file is complete
 */
async function headerProblem(head, whole = false) {
  // Two 64-bit counts follow. A count of 1024 or more is unusual, so sniff.js then checks the header.
  const odd = head.subarray(0, 24).some((byte, i) => (i < 8 ? byte !== START[i] : i % 8 > 0 && byte >= (i % 8 === 1 ? 4 : 1)));
  // The engine reports all other problems.
  return odd || (whole && head.length < 24) ? (await sniffer())?.headerProblem(head, whole) : undefined;
}

/**
 * Reads the bytes of a cached copy in one step, because there is nothing to wait for. On a reloaded page, the first pixel then appears 10 %
 * earlier than with a copy that is read in chunks.
 *
 * @param {Response} copy
 * @param {string} name
 * @param {((progress: Count) => void)} [onProgress]
 * @param {AbortSignal} [signal]
 */
async function readCopy(copy, name, onProgress, signal) {
  const bytes = new Uint8Array(
    await copy.arrayBuffer().catch((cause) => {
      throw new NextPixelError('network', `Cannot read the cached copy of ${name} (${messageOf(cause)}): try again`, { cause });
    }),
  );
  signal?.throwIfAborted();
  onProgress?.({ loaded: bytes.length, total: bytes.length });
  return bytes;
}

/** @param {Uint8Array[]} chunks @param {ArrayBuffer} [room]  the buffer to use, if the bytes fit in it @internal */
export function joined(chunks, room) {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const bytes = room && room.byteLength >= length ? new Uint8Array(room, 0, length) : new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * @param {import('./patience.js').Reader | undefined} reader
 * @param {string} name
 * @param {AbortSignal} [signal]
 */
async function readChunk(reader, name, signal) {
  try {
    const chunk = (await reader?.read()) ?? { done: true, value: undefined };
    signal?.throwIfAborted();
    return chunk;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new NextPixelError('network', `The download of ${name} was interrupted (${messageOf(cause)}): try again`, { cause });
  }
}

/** @param {unknown} cause @internal */
export function messageOf(cause) {
  return cause instanceof Error ? cause.message : String(cause);
}
