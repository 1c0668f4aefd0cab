// SPDX-License-Identifier: MIT
// @ts-check

/** Where the bytes of a weight file come from: an address, a response, memory, and in Node a file. */

import { copyOf, isSame, keeper } from './cache.js';
import { NextPixelError, argumentError } from './error.js';
import { PATIENCE_MS, patientReader, within } from './patience.js';
import { inNode, nodeModule } from './platform.js';
import { headerProblem, sizeProblem } from './sniff.js';

/** @typedef {string | URL | Blob | Response | ReadableStream<Uint8Array> | ArrayBuffer | Uint8Array} Source */
/** @typedef {{ loaded: number, total: number | undefined, head?: Uint8Array }} Count  bytes */
/** How much of a file's beginning tells what it is. */
const HEAD_BYTES = 4096;

/** What load() does: it waits for the server, reads the file, has it opened while the wasm compiles, and is done.
 * @typedef {'connect' | 'download' | 'compile' | 'ready'} Phase */
/** In bytes; `total` is undefined where the size is not known beforehand. `head`: the first bytes of a file that is on its way, a few thousand.
 * @typedef {{ phase: Phase, loaded: number, total: number | undefined, head?: Uint8Array }} Progress */

/**
 * @typedef {object} Contents
 * @property {Uint8Array<ArrayBuffer>} bytes  of their own, which may be transferred
 * @property {() => Promise<void>} [keep]     puts them into the cache, for when they turned out to be good
 */

/**
 * @param {Source} source
 * @param {{ onProgress?: (progress: Count) => void, signal?: AbortSignal, integrity?: string, cache?: boolean, patience?: number, fresh?: boolean }} [options]
 *   fresh: from the server itself, whatever is kept
 * @returns {Promise<Contents>}
 * @internal
 */
export async function readSource(source, { onProgress, signal, integrity, cache = true, patience, fresh = false } = {}) {
  const expected = integrity === undefined ? undefined : parseIntegrity(integrity);
  signal?.throwIfAborted();
  let bytes, fetched;
  if (source instanceof ArrayBuffer || source instanceof Uint8Array) {
    bytes = bytesOf(source); // of a typed array: a copy
    if (source instanceof ArrayBuffer) bytes = bytes.slice();
    onProgress?.({ loaded: bytes.length, total: bytes.length });
  } else if (source instanceof Blob) {
    const name = /** @type {Partial<File>} */ (source).name ?? 'the Blob';
    bytes = await readResponse(new Response(source.stream()), { name, size: source.size, onProgress, signal });
  } else if (source instanceof ReadableStream) {
    if (source.locked) throw argumentError('This ReadableStream is being read by something else');
    bytes = await readResponse(new Response(source), { name: 'the stream', onProgress, signal });
  } else if (source instanceof Response) {
    bytes = await readResponse(source, { name: source.url || 'the response', onProgress, signal });
  } else if (isAddress(source)) {
    const path = inNode ? await filePath(source) : undefined;
    if (path !== undefined) {
      bytes = await readFile(path, signal);
      onProgress?.({ loaded: bytes.length, total: bytes.length });
    } else {
      const url = String(source);
      fetched = fresh ? { response: await fetchOrFail(url, signal, { cache: 'reload', patience }), fresh: true, copied: false } :
        await fetchOrCopy(url, cache, { signal, patience });
      bytes = fetched.copied ? await readCopy(fetched.response, url, onProgress, signal) :
        await readResponse(fetched.response, { name: url, url, patience, onProgress, signal });
    }
  } else {
    throw argumentError('load() takes the address of a weight file, a Blob or File, a Response, a ReadableStream, an ArrayBuffer or a Uint8Array');
  }
  if (expected !== undefined) await checkIntegrity(bytes, expected);
  signal?.throwIfAborted();
  const problem = headerProblem(bytes.subarray(0, HEAD_BYTES), true);
  if (problem) throw problem;
  return { bytes, keep: cache && fetched?.fresh ? keeper(String(source), fetched.response, bytes) : undefined };
}

/**
 * Whether a source can be read again.
 *
 * @param {Source} source
 * @returns {source is string | URL}
 * @internal
 */
export function isAddress(source) {
  return typeof source === 'string' || source instanceof URL;
}

/** Whether it gives the same when it is read again. @param {Source} source @internal */
export function isLasting(source) {
  return isAddress(source) || source instanceof Blob;
}

/** @param {ArrayBuffer | Uint8Array} source */
function bytesOf(source) {
  try {
    return new Uint8Array(source);
  } catch {
    throw argumentError('This ArrayBuffer is detached: its bytes were transferred to somewhere else');
  }
}

/**
 * What is at an address: the copy in the cache where the server has the same, or cannot be reached.
 *
 * @param {string} url
 * @param {boolean} cache
 * @param {{ signal?: AbortSignal, patience?: number }} how
 * @returns {Promise<{ response: Response, fresh: boolean, copied: boolean }>}  fresh: to be kept; copied: out of the cache
 */
async function fetchOrCopy(url, cache, { signal, patience }) {
  if (!cache) return { response: await fetchOrFail(url, signal, { patience }), fresh: false, copied: false };
  const looking = copyOf(url); // meanwhile
  try {
    const response = await fetchOrFail(url, signal, { patience });
    const copy = await looking;
    if (!copy || !isSame(response, copy)) return { response, fresh: true, copied: false };
    void response.body?.cancel().catch(() => {});
    return { response: copy, fresh: false, copied: true };
  } catch (error) {
    const copy = await looking;
    signal?.throwIfAborted();
    if (copy) return { response: copy, fresh: false, copied: true };
    throw error;
  }
}

/**
 * The path that a string or URL names in Node, or undefined where it is to be fetched.
 *
 * @param {string | URL} source
 * @returns {Promise<string | undefined>}
 * @internal
 */
export async function filePath(source) {
  const text = String(source);
  if (/^(https?|data|blob):/i.test(text)) return undefined;
  if (!/^file:/i.test(text)) return text;
  try {
    return (await nodeModule('node:url')).fileURLToPath(text);
  } catch (cause) {
    throw new NextPixelError('argument', `Not the address of a file: ${text}`, { cause });
  }
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @internal
 */
export async function readFile(path, signal) {
  try {
    const { readFile: read } = await nodeModule('node:fs/promises');
    const buffer = await read(path, { signal });
    // A small file may share a pool with others, and a pool cannot be transferred.
    const whole = buffer.byteLength === buffer.buffer.byteLength;
    return whole ? new Uint8Array(buffer.buffer) : new Uint8Array(buffer);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new NextPixelError('network', `Cannot read the file ${path} (${messageOf(cause)})`, { cause });
  }
}

/**
 * @param {string | URL} url
 * @param {AbortSignal} [signal]
 * @param {{ cache?: RequestCache, patience?: number }} [how]  patience: how long nothing may come, in milliseconds
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
    throw new NextPixelError('network', `Cannot fetch ${url} (${messageOf(cause)}). Check the address and the connection. A server of ` +
      'another origin must answer with Access-Control-Allow-Origin, and a Content-Security-Policy have connect-src ' +
      `${/^https?:/.test(String(url)) ? new URL(url).origin : "'self'"}`, { cause });
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * The bytes of a weight file. What is none, or is too large, is refused as soon as that is seen.
 *
 * @param {Response} response
 * @param {{ name: string, url?: string, size?: number, patience?: number, onProgress?: (progress: Count) => void, signal?: AbortSignal }} how  name: for messages; url:
 *   where it can be asked for again
 */
async function readResponse(response, { name, url, size, patience, onProgress, signal }) {
  if (!response.ok) {
    void response.body?.cancel().catch(() => {});
    throw new NextPixelError('network', `Cannot fetch ${name}: the server answered ${response.status} ` +
      `${response.statusText}`.trimEnd());
  }
  if (response.bodyUsed || response.body?.locked) throw argumentError('The body of this Response was read already, or is being read: fetch it again');
  // The length on the wire says nothing about the bytes that a decoded body yields.
  const length = Number(response.headers.get('content-length'));
  const known = size ?? (length > 0 && !response.headers.get('content-encoding') ? length : undefined);
  const tooLarge = sizeProblem(known ?? 0);
  if (tooLarge) {
    void response.body?.cancel().catch(() => {});
    throw tooLarge;
  }

  /** @type {Uint8Array[]} */
  const chunks = [];
  /** @type {Uint8Array} */
  let head = new Uint8Array(0);
  let loaded = 0;
  const reader = url === undefined ? response.body?.getReader() : patientReader(response, url, signal, patience);
  const stop = () => void reader?.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      const { done, value } = await readChunk(reader, name, signal);
      if (done || value === undefined) break;
      chunks.push(value);
      loaded += value.length;
      let problem = sizeProblem(loaded);
      if (head.length < HEAD_BYTES) {
        head = joined([head, value.subarray(0, HEAD_BYTES)]);
        problem ??= headerProblem(head);
      }
      if (problem) throw problem;
      onProgress?.({ loaded, total: known !== undefined && loaded <= known ? known : undefined, head });
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return joined(chunks);
}

/**
 * The bytes of a copy in the cache: at once, for there is nothing to wait for. A page that is opened again is a tenth faster at its first pixel.
 *
 * @param {Response} copy
 * @param {string} name
 * @param {((progress: Count) => void)} [onProgress]
 * @param {AbortSignal} [signal]
 */
async function readCopy(copy, name, onProgress, signal) {
  const bytes = new Uint8Array(await copy.arrayBuffer().catch((cause) => {
    throw new NextPixelError('network', `The copy of ${name} that the browser keeps cannot be read (${messageOf(cause)}): try again`, { cause });
  }));
  signal?.throwIfAborted();
  const problem = sizeProblem(bytes.length);
  if (problem) throw problem;
  onProgress?.({ loaded: bytes.length, total: bytes.length });
  return bytes;
}

/** @param {Uint8Array[]} chunks */
function joined(chunks) {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
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
    throw new NextPixelError('network', `The download of ${name} broke off (${messageOf(cause)}): try again`, { cause });
  }
}

/**
 * @param {string} integrity
 * @returns {string} the digest in base64
 */
function parseIntegrity(integrity) {
  const match = /^sha256-([A-Za-z0-9+/]{43}=)$/.exec(integrity);
  if (!match) throw argumentError('integrity must be "sha256-" and the base64 of a SHA-256 digest (44 characters)');
  return match[1];
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string} expected
 */
async function checkIntegrity(bytes, expected) {
  if (!globalThis.crypto?.subtle) {
    throw new NextPixelError('integrity', 'integrity cannot be checked here: browsers offer the digest to pages from ' +
      'https: or localhost only');
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const actual = btoa(String.fromCharCode(...digest));
  if (actual !== expected) {
    throw new NextPixelError('integrity', `The weight file is not the expected one: its digest is sha256-${actual}, ` +
      `expected was sha256-${expected}`);
  }
}

/** @param {unknown} cause */
function messageOf(cause) {
  return cause instanceof Error ? cause.message : String(cause);
}
