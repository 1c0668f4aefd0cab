// SPDX-License-Identifier: MIT
// @ts-check

/** Fetches the file that the attribute `src` of the element names. */

import { NextPixelError } from '../base/error.js';

/**
 * The error for an attribute `src` that leads to nothing.
 *
 * @param {string} what    'picture', 'sound' or 'music'
 * @param {string} src
 * @param {unknown} [cause]
 */
export function missing(what, src, cause) {
  return new NextPixelError('network', src ? `The ${what} ${src} cannot be loaded: check the attribute src` :
    `There is no ${what} to start from: set the attribute src, or task="generate"`, { cause });
}

/** The picture at an address. @param {string} src @param {AbortSignal} signal */
export async function pictureAt(src, signal) {
  const image = new Image();
  image.crossOrigin = 'anonymous';
  image.src = src;
  await image.decode().catch((cause) => { throw missing('picture', src, cause); });
  signal.throwIfAborted();
  return image;
}

/** The file at an address. @param {string} what @param {string} src @param {AbortSignal} signal */
export async function fileAt(what, src, signal) {
  if (!src) throw missing(what, src);
  const response = await fetch(new URL(src, document.baseURI), { signal }).catch((cause) => { throw signal.aborted ? cause : missing(what, src, cause); });
  if (!response.ok) throw missing(what, src, response.status);
  return response.blob();
}
