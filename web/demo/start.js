// SPDX-License-Identifier: MIT
// What takes longest begins first: while the rest of the page is still being read, a worker starts and the weights of Figure 1 come.
// @ts-check
import { acquire } from '../lib/shared.js';
/** @import { Hold } from '../lib/shared.js' */
/** @import { Progress } from '../lib/source.js' */

const WEIGHTS = new URL('../../weights/digits.gguf', import.meta.url).href;

/** Holds the model until the figure does. */
const waiting = new AbortController();
const { signal } = waiting;
acquire(WEIGHTS, { signal }).then(
  ({ release }) => (signal.aborted ? release() : signal.addEventListener('abort', release)),
  () => {}, // whoever asks next hears of it
);

/**
 * The model of Figure 1: joins what has begun.
 *
 * @param {{ onProgress?: (progress: Progress) => void, signal?: AbortSignal }} options
 * @returns {Promise<Hold>}
 */
export function acquireDigits(options) {
  const hold = acquire(WEIGHTS, options);
  waiting.abort();
  return hold;
}
