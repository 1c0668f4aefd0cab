// SPDX-License-Identifier: MIT
// Starts the slowest work first. While the rest of a page is still being read, this module starts a worker and loads the weights that the
// page's head names.
// @ts-check
import { acquire } from '../library.js';
import { asked } from '../page/asked.js';
import { takeWorker, weights } from './first.js';
/** @import { Hold } from '../library.js' */
/** @import { LoadOptions } from './loading.js' */

/** Keeps the early model until a figure has acquired it. */
const waiting = new AbortController();
const { signal } = waiting;
/** Address of the weights that the page's head names. */
export const ours = weights?.href ?? '';
const address = asked ?? ours;
if (address) {
  acquire(address, { signal, worker: takeWorker() }).then(
    ({ release }) => (signal.aborted ? release() : signal.addEventListener('abort', release)),
    () => {}, // the next caller of acquire() receives the error
  );
}

/**
 * Acquires the model that the page's head or address names, or joins its download if that is in progress.
 *
 * @param {LoadOptions} options
 * @returns {Promise<Hold>}
 */
export function acquireEarly(options) {
  if (!address) throw new Error('The head of this page preloads no weights.');
  const hold = acquire(address, options);
  // Aborts after the model is acquired: an acquire() that is aborted before it starts would leave its worker without a model.
  const held = () => waiting.abort();
  hold.then(held, held);
  return hold;
}
