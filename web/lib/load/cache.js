// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Stores weight files in the browser's Cache API, so that a second visit needs no download and works offline. A copy is valid as long as
 * the server reports the same version. No function of this module throws an error. If there is no cache, or the cache is full, files are
 * not stored.
 */

import { part } from '../base/part.js';
import { CACHE_NAME } from './cache-name.js';

const admin = () => part(() => import('./cache-admin.js'));

/** A cached weight file and the number of its stored bytes. `size`: if the download was stopped, the size of the whole file; the next
 * load() then resumes the download.
 * @typedef {{ url: string, bytes: number, size?: number }} KeptFile */

/** The weight files that this browser caches for the pages of this origin. In Node, and in browsers without a cache, the list is empty. */
export const cache = {
  /** @returns {Promise<KeptFile[]>} */
  list: async () => (await admin()).list(),
  /** Deletes one file, or all files. @param {string | URL} [url] @returns {Promise<boolean>} whether a file was deleted */
  delete: async (url) => (await admin()).remove(url),
  /** @returns {Promise<number>} total size in bytes */
  size: async () => (await cache.list()).reduce((sum, { bytes }) => sum + bytes, 0),
  /**
   * Requests that the browser keep the files even when space runs short. The browser may ask the visitor for permission.
   * @returns {Promise<boolean>} whether the request was granted
   */
  persist: async () => (await admin()).persist(),
};

/** A header that is added to each copy: the number of bytes that the server announced, or '' if the server announced no number. */
const SENT = 'x-nextpixel-sent';

/** Returns whether there is a Cache API. In a sandboxed frame, even reading `caches` throws. */
function here() {
  try {
    return typeof caches === 'object';
  } catch {
    return false;
  }
}

/**
 * @param {string} url
 * @returns {Promise<Response | undefined>}
 * @internal
 */
export async function storedCopy(url) {
  try {
    return await (await caches.open(CACHE_NAME)).match(url);
  } catch {
    // The cache is missing or not allowed. Possible reasons: the page is insecure or sandboxed, the window is private, or the address is
    // not an HTTP address.
    return undefined;
  }
}

/**
 * Returns whether two responses to the same address have the same body.
 *
 * @param {Response} answer
 * @param {Response} copy
 * @internal
 */
export function isSame(answer, copy) {
  const [a, b] = [answer.headers, copy.headers];
  const same = (/** @type {string} */ name) => a.has(name) && a.get(name) === b.get(name);
  // Servers of other origins often hide the ETag header. A response may have been compressed, and the headers of a cross-origin response do
  // not show whether it was. Therefore this function compares the announced lengths, not the size of the file.
  return (
    answer.ok &&
    (a.has('etag')
      ? same('etag')
      : same('last-modified') && (a.get('content-length') ?? '') === b.get(b.has(SENT) ? SENT : 'content-length'))
  );
}

/**
 * Returns a function that puts a file into the cache, or undefined if the file must not be cached. keeper() copies the bytes of an array
 * before it returns; it does not copy a stream.
 *
 * @param {string} url
 * @param {Response} answer  the response whose headers describe the file
 * @param {Uint8Array<ArrayBuffer> | ReadableStream} body
 * @param {number} [length]  size of the file in bytes
 * @returns {(() => Promise<boolean>) | undefined}  the function resolves to true if the browser stored the file
 * @internal
 */
export function keeper(url, { status, headers: given }, body, length = /** @type {Uint8Array} */ (body).length) {
  if (!here() || status !== 200 || /no-store/i.test(given.get('cache-control') ?? '')) return undefined;
  const headers = new Headers({ 'content-length': String(length), [SENT]: given.get('content-length') ?? '' });
  for (const name of ['content-type', 'etag', 'last-modified']) if (given.has(name)) headers.set(name, given.get(name) ?? '');
  const copy = new Response(body, { headers });
  return async () => {
    try {
      await (await caches.open(CACHE_NAME)).put(url, copy);
      if (url.includes('?')) await (await admin()).forgetOthers(url);
      return true;
    } catch {
      return false; // the cache is full or not allowed, so the file will be downloaded again next time
    }
  };
}
