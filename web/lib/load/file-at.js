// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the file at an address that the caller gives as an input; this module is loaded on demand. */

import { NextPixelError } from '../base/error.js';
import { inNode } from '../base/platform.js';
import { disk, fetchOrFail } from './source.js';

/**
 * @param {string | URL} address  an address relative to the page; in Node also a path
 * @param {AbortSignal} [signal]
 * @returns {Promise<Blob>}
 */
export async function fileAt(address, signal) {
  const path = inNode ? await (await disk()).filePath(address) : undefined;
  if (path !== undefined) return new Blob([await (await disk()).readFile(path)]);
  const response = await fetchOrFail(address, signal);
  if (!response.ok)
    throw new NextPixelError(
      'network',
      `Cannot fetch ${String(address).slice(0, 300)}: the server answered ${response.status}. Check the address`,
    );
  return response.blob();
}
