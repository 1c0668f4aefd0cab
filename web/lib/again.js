// SPDX-License-Identifier: MIT
// @ts-check

/** When a weight file is bad because it is an old one: loaded only when one is bad. */

import { NextPixelError, copyOf, dropCopy } from './common.js';

/**
 * Whether a file may be better from the server itself: a copy of it was kept, or the browser's own cache had another version than the page
 * was made for. The copy is dropped.
 *
 * @param {string} url
 * @param {unknown} error  of loading it
 */
export async function isStale(url, error) {
  if (!(error instanceof NextPixelError) || !['format', 'unsupported', 'limit', 'numeric', 'integrity'].includes(error.code)) return false;
  if (await copyOf(url)) {
    await dropCopy(url);
    return true;
  }
  return error.code === 'integrity' && /expected was/.test(error.message) && typeof document === 'object';
}
