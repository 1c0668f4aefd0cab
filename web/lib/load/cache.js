// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Weight files in the browser's Cache API, so that a second visit needs no download, and works offline. A copy is valid as long as the
 * server reports the same version. Nothing here can fail: without a cache, or without space in it, there are no copies.
 */

import { part } from '../base/part.js';

/** @internal */
export const CACHE_NAME = 'nextpixel';

const admin = () => part(() => import('./cache-admin.js'));

/** A cached weight file, and the number of its bytes. `size`: of the whole file, if its download was stopped; the next load() resumes it.
 * @typedef {{ url: string, bytes: number, size?: number }} KeptFile */

/** The weight files that this browser caches for the pages of this origin. In Node, and in browsers that cache none, the list is empty. */
export const cache = {
  /** @returns {Promise<KeptFile[]>} */
  list: async () => (await admin()).list(),
  /** Deletes one of them, or all. @param {string | URL} [url] @returns {Promise<boolean>} whether a file was deleted */
  delete: async (url) => (await admin()).remove(url),
  /** @returns {Promise<number>} total bytes */
  size: async () => (await cache.list()).reduce((sum, { bytes }) => sum + bytes, 0),
  /**
   * Asks the browser not to free them when it is short of space. The browser may ask the visitor. @returns {Promise<boolean>} whether it
   * agreed
   */
  persist: async () => (await admin()).persist(),
};

/** Header of a copy: the number of bytes announced by its server; '' if it announced none. */
const SENT = 'x-nextpixel-sent';

/** True if there is a Cache API at all. In a sandboxed frame even its name throws. */
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
export async function copyOf(url) {
  try {
    return await (await caches.open(CACHE_NAME)).match(url);
  } catch {
    return undefined; // missing or not allowed: an insecure or sandboxed page, a private window, an address of another scheme
  }
}

/**
 * Returns whether two answers to the same address have one body.
 *
 * @param {Response} answer
 * @param {Response} copy
 * @internal
 */
export function isSame(answer, copy) {
  const [a, b] = [answer.headers, copy.headers];
  const same = (/** @type {string} */ name) => a.has(name) && a.get(name) === b.get(name);
  // Servers of other origins often hide the tag. The answer may have been compressed, which a cross-origin answer hides: so the lengths
  // sent are compared, not those of the file.
  return (
    answer.ok &&
    (a.has('etag')
      ? same('etag')
      : same('last-modified') && (a.get('content-length') ?? '') === b.get(b.has(SENT) ? SENT : 'content-length'))
  );
}

/**
 * A function that puts a file into the cache, or undefined if it must not be cached. The bytes are copied now; a stream is not.
 *
 * @param {string} url
 * @param {Response} answer  headers of the file
 * @param {Uint8Array<ArrayBuffer> | ReadableStream} body
 * @param {number} [length]  bytes of it
 * @returns {(() => Promise<boolean>) | undefined}  resolves to whether the browser stored it
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
      return false; // no space, or not allowed: it will be downloaded again next time
    }
  };
}
