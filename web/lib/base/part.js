// SPDX-License-Identifier: MIT
// @ts-check

/** Loads parts of the library when they are needed, or in advance. */

import { NextPixelError } from './error.js';

/** The delays before the retries, in milliseconds. */
const WAITS_MS = [300, 1500, 5000];

/**
 * Runs a task. After an error that a lost connection may have caused, retries the task; the delay becomes longer each time.
 *
 * @template T
 * @param {() => Promise<T>} task
 * @param {(error: any) => unknown} gone  returns whether the connection may have caused this error
 * @param {number[]} [waits]  delays before the retries, in milliseconds
 * @returns {Promise<T>}
 */
export async function again(task, gone, waits = WAITS_MS) {
  for (const wait of waits) {
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

/**
 * Returns whether an error comes from a failed import(): in every JavaScript engine, the message of such an error contains "import". An
 * error of this library is excluded, because it has a code.
 * @param {any} error
 */
const isMissing = (error) => /import/i.test(error?.message) && !error.code;

/**
 * Loads a part of the library on demand.
 *
 * @template T
 * @param {() => Promise<T>} get  imports the part; errors thrown by the part itself are passed on
 * @param {number[]} [waits]  delays before the retries, in milliseconds; empty if the caller can do without the part
 * @returns {Promise<T>} rejects with a NextPixelError, 'network', if the part cannot be fetched
 */
export const part = (get, waits) =>
  again(get, isMissing, waits).catch((cause) => {
    throw isMissing(cause)
      ? new NextPixelError('network', `A part of nextpixel is missing (${cause.message}): try again`, { cause })
      : cause;
  });

/** Code that recovers from a failure. load() fetches it in advance, because it cannot be fetched when the connection is down.
 * @type {{ code?: Promise<typeof import('../recovery.js')> }} */
export const recovery = {};

/** @param {unknown} cause  the error from which to recover; it is thrown again if the recovery code is missing */
export const recovering = (cause) =>
  Promise.resolve(recovery.code)
    .then((code) => code ?? Promise.reject())
    .catch(() => {
      throw cause;
    });
