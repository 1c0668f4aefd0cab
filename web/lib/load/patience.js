// SPDX-License-Identifier: MIT
// @ts-check

/** Downloads that do not hang: a silent server causes an error, and an interrupted download resumes. */

import { NextPixelError } from '../base/error.js';

/** The longest time in which nothing comes, in milliseconds. */
export const PATIENCE_MS = 30000;
/** A download that takes longer may break off, in milliseconds. */
const LONG_MS = 200;

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} ms
 * @returns {Promise<T>} rejects when that takes longer
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
 * The body of an answer.
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
  // What resumes a download comes before the connection is gone. A short download needs none.
  /** @type {Promise<typeof import('./resume-download.js')> | undefined} */
  let resuming;
  const soon = setTimeout(() => {
    resuming = import('./resume-download.js');
    resuming.catch(() => {});
  }, LONG_MS);
  return {
    async read() {
      for (;;) {
        try {
          const chunk = await within(/** @type {Reader} */ (reader).read(), ms);
          loaded += chunk.value?.length ?? 0;
          if (chunk.done) clearTimeout(soon);
          return chunk;
        } catch (cause) {
          signal?.throwIfAborted();
          void reader?.cancel().catch(() => {});
          clearTimeout(soon);
          const { resume } = await (resuming ?? import('./resume-download.js')).catch(() => {
            throw cause;
          });
          reader = await resume(response, url, loaded, cause, signal, ms);
        }
      }
    },
    cancel(reason) {
      clearTimeout(soon);
      return /** @type {Reader} */ (reader).cancel(reason);
    },
  };
}
