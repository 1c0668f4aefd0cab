// SPDX-License-Identifier: MIT
// @ts-check

/** A weight file that is bad because it is an old one is read once more: loaded only when one is bad. */

import { NextPixelError, copyOf, dropCopy } from './common.js';

/** @import { Contents } from './source.js' */

/**
 * Reads a file from the server itself, where a copy of it was kept, or the browser's own cache had another version than the page was made
 * for. The copy goes when there is something in its place.
 *
 * @param {string} url
 * @param {unknown} error  of loading it
 * @param {() => Promise<Contents>} read
 * @returns {Promise<Contents>} rejects with the error where that cannot help
 */
export async function readAgain(url, error, read) {
  if (!(error instanceof NextPixelError) || !['format', 'unsupported', 'limit', 'numeric', 'integrity'].includes(error.code)) throw error;
  const kept = await copyOf(url) !== undefined;
  const expected = error.code === 'integrity' && /expected was/.test(error.message) && typeof document === 'object';
  if (!kept && !expected) throw error;
  const contents = await read().catch((second) => {
    throw second instanceof NextPixelError && second.code === 'network' ? error : second;
  });
  if (kept) await dropCopy(url).catch(() => {});
  return contents;
}
