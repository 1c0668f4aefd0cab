// SPDX-License-Identifier: MIT
// @ts-check

/** What the attribute `src` of the element names, fetched. */

import { NextPixelError } from '../base/error.js';

/**
 * The error for an attribute `src` that leads to nothing.
 *
 * @param {string} what    'picture' or 'sound'
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
