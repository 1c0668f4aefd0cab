// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Reads weight files that the page provides itself: a Blob, a stream or a response. Pages that pass the address of a file do not load this
 * module.
 */

import { bytesOfBlob, isBlob } from '../base/blob.js';
import { argumentError } from '../base/error.js';
import { classOf } from '../base/realm.js';

/** @import { Large } from './source.js' */

/**
 * @param {Blob | Response | ReadableStream<Uint8Array>} source
 * @returns {Promise<Large | Uint8Array<ArrayBuffer>>} a file that can be read in parts, or the bytes of the file
 */
export async function handed(source) {
  const kind = classOf(source);
  if (isBlob(source)) {
    const { name = 'the Blob', size } = /** @type {Partial<File> & Blob} */ (source);
    return source.stream ? { name, size, response: new Response(source.stream()) } : bytesOfBlob(source);
  }
  if (kind === 'ReadableStream') {
    if (/** @type {ReadableStream} */ (source).locked) throw argumentError('This ReadableStream is being read by something else');
    return { name: 'the stream', size: 0, response: new Response(/** @type {ReadableStream} */ (source)) };
  }
  if (kind === 'Response')
    return { name: /** @type {Response} */ (source).url || 'the response', size: 0, response: /** @type {Response} */ (source) };
  throw argumentError(
    'load() takes the address of a weight file, a Blob or File, a Response, a ReadableStream, an ArrayBuffer or a Uint8Array',
  );
}
