// SPDX-License-Identifier: MIT
// @ts-check

/** Fetches the file at the address in the element's attribute `src`. */

import { abortable } from '../base/abort.js';
import { NextPixelError } from '../base/error.js';

/**
 * Returns the error for a file that cannot be loaded from the address in the attribute `src`.
 *
 * @param {string} what    'picture', 'sound' or 'music'
 * @param {string} src
 * @param {unknown} [cause]
 */
function missing(what, src, cause) {
  return new NextPixelError(
    'network',
    src
      ? `The ${what} ${src.slice(0, 300)} cannot be loaded: check the attribute src`
      : `There is no ${what} to start from: set the attribute src, or task="generate"`,
    { cause },
  );
}

/**
 * Fetches the picture at an address.
 * @param {string} src
 * @param {AbortSignal} signal
 * @param {Element} element  the element with the attribute
 */
export async function pictureAt(src, signal, { baseURI }) {
  if (!src) throw missing('picture', src);
  const image = new Image();
  image.crossOrigin = 'anonymous';
  try {
    image.src = new URL(src, baseURI).href;
    await abortable(image.decode(), signal);
  } catch (cause) {
    image.src = '';
    throw signal.aborted ? signal.reason : missing('picture', src, cause);
  }
  return image;
}

/**
 * Fetches the file at an address.
 * @param {string} what
 * @param {string} src
 * @param {AbortSignal} signal
 * @param {Element} element  the element with the attribute
 */
export async function fileAt(what, src, signal, { baseURI }) {
  if (!src) throw missing(what, src);
  try {
    const response = await fetch(new URL(src, baseURI), { signal });
    if (!response.ok) throw response.status;
    return await response.blob();
  } catch (cause) {
    throw signal.aborted ? signal.reason : missing(what, src, cause);
  }
}
