// SPDX-License-Identifier: MIT
// @ts-check

/** Parts of the library that are fetched when they are needed, and those fetched in advance. */

import { NextPixelError } from './error.js';

/** Waits before each further try, in milliseconds. */
const WAITS_MS = [300, 1500, 5000];

/**
 * Tries again, a few times and each time a little later, while the connection is gone.
 *
 * @template T
 * @param {() => Promise<T>} task
 * @param {(error: any) => unknown} gone  whether this error may be one of the connection
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

/** An import() that failed, in the words of every engine; errors of this library have a code. @param {any} error */
const isMissing = (error) => /import/i.test(error?.message) && !error.code;

/**
 * A part of the library.
 *
 * @template T
 * @param {() => Promise<T>} get  import()s it; its own errors pass
 * @returns {Promise<T>} rejects with a NextPixelError, 'network', where it cannot be fetched
 */
export const part = (get) =>
  again(get, isMissing).catch((cause) => {
    throw isMissing(cause)
      ? new NextPixelError('network', `A part of nextpixel is missing (${cause.message}): try again`, { cause })
      : cause;
  });

/** Code that recovers from a failure: load() fetches it in advance, because a lost connection brings no code.
 * @type {{ code?: Promise<typeof import('../recovery.js')> }} */
export const recovery = {};

/** @param {unknown} cause  why it is needed; the error if it did not arrive */
export const recovering = (cause) =>
  Promise.resolve(recovery.code)
    .then((code) => code ?? Promise.reject())
    .catch(() => {
      throw cause;
    });
