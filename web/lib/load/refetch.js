// SPDX-License-Identifier: MIT
// @ts-check

/** Reads a weight file once more if the cached version is bad. */

import { copyOf } from './cache.js';
import { dropCopy } from './drop-copy.js';

/** @import { Contents } from './source.js' */

/**
 * Reads a file from the server itself, if a cached copy is bad, or the browser's own cache has another version than the page was made for.
 * The copy is deleted when it has been replaced.
 *
 * @param {string} url
 * @param {unknown} error  of loading it
 * @param {() => Promise<Contents>} read
 * @returns {Promise<Contents>} rejects with the error if that cannot help
 */
export async function refetch(url, error, read) {
  const { code, message } = /** @type {import('../base/error.js').NextPixelError} */ (error); // of this library or, on the front page, of its own copy
  if (!['format', 'unsupported', 'limit', 'numeric', 'integrity'].includes(code)) throw error;
  const kept = (await copyOf(url)) !== undefined;
  const expected = code === 'integrity' && /expected was/.test(message) && typeof document === 'object';
  if (!kept && !expected) throw error;
  const contents = await read().catch((second) => {
    throw second?.code === 'network' ? error : second;
  });
  if (kept) await dropCopy(url).catch(() => {});
  return contents;
}
