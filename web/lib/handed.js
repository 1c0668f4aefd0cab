// SPDX-License-Identifier: MIT
// @ts-check

/** Weight files that a page fetches or has by itself: a Blob, a stream, a response. Loaded only for these. */

import { argumentError } from './error.js';

/** @import { Large } from './source.js' */

/**
 * @param {Blob | Response | ReadableStream<Uint8Array>} source
 * @returns {Large}
 */
export function handed(source) {
  if (source instanceof Blob) return { name: /** @type {Partial<File>} */ (source).name ?? 'the Blob', size: source.size, response: new Response(source.stream()) };
  if (source instanceof ReadableStream) {
    if (source.locked) throw argumentError('This ReadableStream is being read by something else');
    return { name: 'the stream', size: 0, response: new Response(source) };
  }
  if (source instanceof Response) return { name: source.url || 'the response', size: 0, response: source };
  throw argumentError('load() takes the address of a weight file, a Blob or File, a Response, a ReadableStream, an ArrayBuffer or a Uint8Array');
}
