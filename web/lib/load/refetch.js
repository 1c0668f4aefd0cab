// SPDX-License-Identifier: MIT
// @ts-check

/** Reads a weight file again if its cached copy is damaged or outdated. */

import { storedCopy } from './cache.js';
import { dropCopy } from './drop-copy.js';

/** @import { Contents } from './source.js' */

/**
 * Reads a file from the server itself, because the cached copy is damaged, or because the version in the browser's HTTP cache is not the
 * one that the page expects. The damaged copy is deleted once it has been replaced.
 *
 * @param {string} url
 * @param {unknown} error  the error with which loading the copy failed
 * @param {() => Promise<Contents>} read
 * @returns {Promise<Contents>} rejects with `error` if reading again cannot help
 */
export async function refetch(url, error, read) {
  const { code, message } = /** @type {import('../base/error.js').NextPixelError} */ (error); // may come from another copy of the library
  if (!['format', 'unsupported', 'limit', 'numeric', 'integrity'].includes(code)) throw error;
  const kept = (await storedCopy(url)) !== undefined;
  const expected = code === 'integrity' && /expected was/.test(message) && typeof document === 'object';
  if (!kept && !expected) throw error;
  const contents = await read().catch((second) => {
    throw second?.code === 'network' ? error : second;
  });
  if (kept) await dropCopy(url).catch(() => {});
  return contents;
}
