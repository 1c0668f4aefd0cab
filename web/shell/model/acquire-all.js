// SPDX-License-Identifier: MIT
// Loads several models and reports their combined progress.
// @ts-check
import { acquire } from '../library.js';
/** @import { Hold, Progress } from '../library.js' */
/** @import { LoadOptions } from './loading.js' */

/** Reports the total progress of several downloads. @param {(progress: Progress) => void} report @param {number} count */
function together(report, count) {
  const parts = Array.from({ length: count }, () => /** @type {Progress} */ ({ phase: 'connect', loaded: 0 }));
  return parts.map((_, i) => (/** @type {Progress} */ progress) => {
    parts[i] = progress;
    const loaded = parts.reduce((sum, part) => sum + part.loaded, 0);
    // The total is known only when all sizes are known.
    const total = parts.every((part) => part.total) ? parts.reduce((sum, part) => sum + Number(part.total), 0) : undefined;
    report({ ...progress, loaded, total });
  });
}

/**
 * Acquires all models. If one model fails, releases the others and throws.
 * @param {string[]} urls
 * @param {LoadOptions} options
 * @returns {Promise<Hold[]>}
 */
export async function acquireAll(urls, { onProgress, signal }) {
  signal.throwIfAborted();
  const stopper = new AbortController();
  const stop = () => stopper.abort(signal.reason);
  signal.addEventListener('abort', stop);
  const reports = together((progress) => {
    if (!stopper.signal.aborted) onProgress(progress);
  }, urls.length);
  const asked = urls.map((url, i) => acquire(url, { signal: stopper.signal, onProgress: reports[i] }));
  try {
    return await Promise.all(asked);
  } catch (error) {
    stopper.abort();
    for (const one of asked)
      one.then(
        ({ release }) => release(),
        () => {},
      );
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Acquires the models of a figure and everything else that the figure needs. If a model or the other work fails, all models are released.
 * @param {Promise<Hold | Hold[]>} first
 * @param {Promise<unknown> | ((holds: Hold[]) => Promise<Hold[] | void> | void)} rest  either work that runs in parallel, or a function
 *   that receives the acquired models. The function may acquire further models; it throws if the figure cannot use the models
 * @returns {Promise<Hold[]>}
 */
export async function acquireWith(first, rest) {
  if (typeof rest === 'object') rest.catch(() => {}); // the error is reported after the models have loaded
  const holds = [await first].flat();
  try {
    if (typeof rest === 'function') return [...holds, ...((await rest(holds)) ?? [])];
    await rest;
    return holds;
  } catch (error) {
    for (const { release } of holds) release();
    throw error;
  }
}
