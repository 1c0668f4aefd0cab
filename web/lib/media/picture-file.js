// SPDX-License-Identifier: MIT
// @ts-check

/** Decodes pictures before they are drawn. A picture is given as a file, an address or an <image> element of an SVG. This module is loaded
 * on demand. */

import { NextPixelError, argumentError } from '../base/error.js';
import { fileAt } from '../load/file-at.js';
import { classOf } from '../base/realm.js';

/** Returns the file of a picture. @param {any} image @param {AbortSignal} [signal] @returns {Promise<Blob>} */
async function fileOf(image, signal) {
  const kind = classOf(image);
  if (kind === 'SVGImageElement') return fileAt(new URL(image.href.baseVal, image.baseURI), signal);
  return kind === 'Blob' || kind === 'File' ? image : fileAt(image, signal);
}

/** Loads a vector drawing, which createImageBitmap() cannot read. Browsers recognise an SVG only by its MIME type. @param {Blob} file */
async function drawingOf(file) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([file], { type: 'image/svg+xml' }));
  try {
    image.src = address;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * Decodes a picture and passes it to a function.
 *
 * @template T
 * @param {any} image  a Blob, an address, or an <image> of an SVG
 * @param {(decoded: any) => T | Promise<T>} use
 * @param {AbortSignal} [signal]
 */
export async function decoded(image, use, signal) {
  if (typeof createImageBitmap !== 'function')
    throw new NextPixelError('unsupported', 'Picture files cannot be decoded outside a browser: pass { data, width, height }');
  const file = await fileOf(image, signal);
  signal?.throwIfAborted();
  const bitmap = await createImageBitmap(file).catch(async (cause) => {
    const drawing = typeof document === 'object' ? await drawingOf(file).catch(() => undefined) : undefined;
    if (drawing) return drawing;
    throw argumentError(`This browser cannot decode the picture file (${cause})`);
  });
  try {
    signal?.throwIfAborted();
    return await use(bitmap);
  } finally {
    if ('close' in bitmap) bitmap.close();
  }
}
