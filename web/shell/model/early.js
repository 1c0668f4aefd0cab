// SPDX-License-Identifier: MIT
// The slowest work begins first: while the rest of a page is still being read, a worker starts and the weights come that its head asks for.
// @ts-check
import { acquire } from '../library.js';
import { asked } from '../page/asked.js';
import { takeWorker, weights } from './first.js';
/** @import { Hold } from '../library.js' */
/** @import { LoadOptions } from './loading.js' */

/** Holds the model until a figure does. */
const waiting = new AbortController();
const { signal } = waiting;
/** The address of the page's own weights. */
export const ours = weights?.href ?? '';
const address = asked ?? ours;
if (address) {
  acquire(address, { signal, worker: takeWorker() }).then(
    ({ release }) => (signal.aborted ? release() : signal.addEventListener('abort', release)),
    () => {}, // the next caller gets the error
  );
}

/**
 * The model that the page's head or its address names: joins a download in progress.
 *
 * @param {LoadOptions} options
 * @returns {Promise<Hold>}
 */
export function acquireEarly(options) {
  if (!address) throw new Error('The head of this page preloads no weights.');
  const hold = acquire(address, options);
  // Not before: an acquire() that is ended before it began would leave its worker without a model.
  const held = () => waiting.abort();
  hold.then(held, held);
  return hold;
}
