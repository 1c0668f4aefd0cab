// SPDX-License-Identifier: MIT
// @ts-check

/** Parts of the library that are fetched when they are needed, and those fetched in advance. */

import { NextPixelError } from './error.js';

/** Waits before each retry, in milliseconds. */
const WAITS_MS = [300, 1500, 5000];

/**
 * Retries a few times, each time a little later, while the connection is down.
 *
 * @template T
 * @param {() => Promise<T>} task
 * @param {(error: any) => unknown} gone  whether this error may be caused by the connection
 * @returns {Promise<T>}
 */
export async function again(task, gone) {
  for (const wait of WAITS_MS) {
    try {
      return await task();
    } catch (error) {
      if (!gone(error)) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, wait);
    });
  }
  return task();
}

/** Recognises a failed import() by the messages of every engine; errors of this library have a code. @param {any} error */
const isMissing = (error) => /import/i.test(error?.message) && !error.code;

/**
 * A lazily loaded part of the library.
 *
 * @template T
 * @param {() => Promise<T>} get  import()s it; its own errors pass
 * @returns {Promise<T>} rejects with a NextPixelError, 'network', if it cannot be fetched
 */
export const part = (get) =>
  again(get, isMissing).catch((cause) => {
    throw isMissing(cause)
      ? new NextPixelError('network', `A part of nextpixel is missing (${cause.message}): try again`, { cause })
      : cause;
  });

/** Code that recovers from a failure. load() fetches it in advance, because it cannot be fetched when the connection is down.
 * @type {{ code?: Promise<typeof import('../recovery.js')> }} */
export const recovery = {};

/** @param {unknown} cause  the reason why it is needed; throws that error if the code did not arrive */
export const recovering = (cause) =>
  Promise.resolve(recovery.code)
    .then((code) => code ?? Promise.reject())
    .catch(() => {
      throw cause;
    });
