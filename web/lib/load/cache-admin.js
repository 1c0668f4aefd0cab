// SPDX-License-Identifier: MIT
// @ts-check

/** Lists and deletes the weight files in the browser's cache. This code is loaded on first use. */

import { part } from '../base/part.js';
import { CACHE_NAME } from './cache-name.js';
import { hubAddress } from './hub.js';

/** @import { KeptFile } from './cache.js' */

/** Maximum number of cached copies whose addresses differ only in the query. The query may be a signature, a timestamp or a version that is
 * never requested again. It may also select different files. */
const MOST_QUERIES = 4;

/** Loads the module for stopped downloads. The import is dynamic, so that this file and large.js share the state of unfinished.js. */
const unfinished = () => part(() => import('./unfinished.js'));

/** @returns {Promise<Cache | undefined>} undefined if there is no cache, or if the cache is not allowed */
async function opened() {
  try {
    return await caches.open(CACHE_NAME);
  } catch {
    return undefined;
  }
}

/** @returns {Promise<KeptFile[]>} */
export async function list() {
  const { bytesOfUnfinished, settled } = await unfinished();
  await settled();
  const cache = await opened();
  const requests = (await cache?.keys()) ?? [];
  return Promise.all(
    requests.map(async ({ url }) => {
      const size = Number((await cache?.match(url))?.headers.get('content-length')) || 0;
      const bytes = await bytesOfUnfinished(url);
      return bytes > 0 ? { url, bytes, size } : { url, bytes: size };
    }),
  );
}

/** @param {string | URL} [url] */
export async function remove(url) {
  const { UNFINISHED, forget, settled } = await unfinished();
  await settled();
  if (url !== undefined) {
    const address = new URL(hubAddress(String(url)), globalThis.document?.baseURI).href;
    await forget(address);
    return (await (await opened())?.delete(address)) ?? false;
  }
  try {
    await caches.delete(UNFINISHED);
    return await caches.delete(CACHE_NAME);
  } catch {
    return false;
  }
}

/**
 * Keeps the newest MOST_QUERIES copies whose addresses differ only in the query, and deletes the older ones.
 *
 * @param {string} url  address of the newest copy
 */
export async function forgetOthers(url) {
  const cache = await opened();
  const place = (/** @type {string} */ address) => new URL(address, globalThis.document?.baseURI).href.replace(/[?#].*/s, '');
  // The oldest copies come first.
  const alike = ((await cache?.keys()) ?? []).filter((request) => request.url.includes('?') && place(request.url) === place(url));
  for (const request of alike.slice(0, -MOST_QUERIES)) await cache?.delete(request);
}

export async function persist() {
  return (await globalThis.navigator?.storage?.persist?.()) ?? false;
}
