// SPDX-License-Identifier: MIT
// Starts a worker and loads the weights from the preload link in the page's <head>. These two steps take the most time when a page opens,
// so they start while the browser is still parsing the rest of the page.
// @ts-check
import { acquire } from '../library.js';
import { asked } from '../page/asked.js';
import { takeWorker, weights } from './first.js';
/** @import { Hold } from '../library.js' */
/** @import { LoadOptions } from './loading.js' */

/**
 * This controller is aborted when a figure has acquired the model or could not acquire it. Until then, this module holds the model so that
 * the model is not released.
 */
const waiting = new AbortController();
const { signal } = waiting;
/** Address of the page's own weights; '' if the page has none. */
export const ours = weights?.href ?? '';
const address = asked ?? ours;
if (address) {
  acquire(address, { signal, worker: takeWorker() }).then(
    ({ release }) => (signal.aborted ? release() : signal.addEventListener('abort', release)),
    () => {}, // the next caller of acquire() receives the error
  );
}

/**
 * Acquires the model that the page's address or <head> names. If its download is already in progress, waits for that download.
 *
 * @param {LoadOptions} options
 * @returns {Promise<Hold>}
 */
export function acquireEarly(options) {
  if (!address) throw new Error('The head of this page preloads no weights.');
  const hold = acquire(address, options);
  // Releases the early hold only after this acquire() has settled. Otherwise the early acquire() could be aborted before it has started,
  // and its worker would never get a model.
  const held = () => waiting.abort();
  hold.then(held, held);
  return hold;
}
