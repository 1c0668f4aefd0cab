// SPDX-License-Identifier: MIT
// @ts-check

/** Reads a file from an address that the caller passes as an input. This module is loaded on demand. */

import { NextPixelError } from '../base/error.js';
import { inNode } from '../base/platform.js';
import { disk, fetchOrFail, messageOf } from './source.js';

/**
 * @param {string | URL} address  an address, which may be relative to the page; in Node, also a path
 * @param {AbortSignal} [signal]
 * @returns {Promise<Blob>} rejects with a NextPixelError, 'network', if the file cannot be read completely
 */
export async function fileAt(address, signal) {
  const path = inNode ? await (await disk()).filePath(address) : undefined;
  if (path !== undefined) return new Blob([await (await disk()).readFile(path, signal)]);
  const response = await fetchOrFail(address, signal);
  const short = String(address).slice(0, 300);
  if (!response.ok) throw new NextPixelError('network', `Cannot fetch ${short}: the server answered ${response.status}. Check the address`);
  // fetchOrFail() obeys the signal only until the response begins.
  const body = response.body?.pipeThrough(new TransformStream(), { signal });
  return new Response(body, response).blob().catch((cause) => {
    signal?.throwIfAborted();
    throw new NextPixelError('network', `The download of ${short} was interrupted (${messageOf(cause)}): try again`, { cause });
  });
}
