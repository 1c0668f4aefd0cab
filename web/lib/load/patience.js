// SPDX-License-Identifier: MIT
// @ts-check

/** Prevents downloads from hanging: a server that sends nothing causes an error, and an interrupted download resumes. */

import { NextPixelError } from '../base/error.js';
import { recovering } from '../base/part.js';

/** Default timeout: the longest time without data, in milliseconds. */
export const PATIENCE_MS = 30000;

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} ms
 * @returns {Promise<T>} rejects if the promise takes longer than `ms`
 */
export function within(promise, ms) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  return Promise.race([
    promise,
    new Promise((_, reject) => {
      timer = setTimeout(() => reject(new NextPixelError('network', `nothing came for ${ms / 1000} seconds`)), ms);
    }),
  ]).finally(() => clearTimeout(timer));
}

/** @typedef {{ read: () => Promise<{ done: boolean, value?: Uint8Array }>, cancel: (reason?: unknown) => Promise<void> }} Reader */

/**
 * Returns a reader of the body of a response.
 *
 * @param {Response} response
 * @param {string} url
 * @param {AbortSignal} [signal]
 * @param {number} [ms]
 * @returns {Reader | undefined}
 */
export function patientReader(response, url, signal, ms = PATIENCE_MS) {
  /** @type {Reader | undefined} */
  let reader = response.body?.getReader();
  if (!reader) return undefined;
  let loaded = 0;
  return {
    async read() {
      for (;;) {
        try {
          const chunk = await within(/** @type {Reader} */ (reader).read(), ms);
          loaded += chunk.value?.length ?? 0;
          return chunk;
        } catch (cause) {
          signal?.throwIfAborted();
          void reader?.cancel().catch(() => {});
          const { resume } = await recovering(cause);
          reader = await resume(response, url, loaded, cause, signal, ms);
        }
      }
    },
    cancel: (reason) => /** @type {Reader} */ (reader).cancel(reason),
  };
}
