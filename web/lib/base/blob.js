// SPDX-License-Identifier: MIT
// @ts-check

/** Reads Blobs and Files. Test runners that simulate a window (jsdom, happy-dom) may lack the Blob class, or the methods of a Blob that
 * return its bytes. This module is loaded only when a Blob is passed. */

import { NextPixelError, argumentError } from './error.js';
import { classOf } from './realm.js';

/**
 * @param {any} value
 * @returns {value is Blob}
 */
export function isBlob(value) {
  // In happy-dom, classOf() returns "Object" for a Blob.
  return /^(Blob|File)$/.test(classOf(value)) || (typeof value?.size === 'number' && typeof value.slice === 'function');
}

/** @param {Blob} blob @param {AbortSignal} [signal] @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function bytesOfBlob(blob, signal) {
  return read(blob, signal).catch((cause) => {
    signal?.throwIfAborted();
    // the file was changed after it was chosen, or no longer exists
    throw cause instanceof NextPixelError
      ? cause
      : new NextPixelError('network', `The file cannot be read (${cause instanceof Error ? cause.message : cause}): choose it again`, {
          cause,
        });
  });
}

/** @param {Blob} blob @param {AbortSignal} [signal] @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function read(blob, signal) {
  signal?.throwIfAborted();
  if (blob.stream && typeof WritableStream === 'function') {
    const bytes = new Uint8Array(blob.size);
    let at = 0;
    const into = new WritableStream({
      write(/** @type {Uint8Array} */ part) {
        bytes.set(part, at);
        at += part.length;
      },
    });
    await blob.stream().pipeTo(into, { signal }); // pipeTo() cancels the stream when the signal is aborted
    return bytes.subarray(0, at);
  }
  if (blob.arrayBuffer) return new Uint8Array(await blob.arrayBuffer());
  if (typeof FileReader !== 'function')
    throw argumentError('This Blob cannot be read: it has neither stream() nor arrayBuffer(). Pass its bytes');
  const reader = new FileReader(); // the only way to read a Blob in jsdom
  await new Promise((resolve, reject) => {
    reader.onload = resolve;
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob);
  });
  return new Uint8Array(/** @type {ArrayBuffer} */ (reader.result));
}
