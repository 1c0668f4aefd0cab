// SPDX-License-Identifier: MIT
// @ts-check

/** Starts workers in a browser; node-worker.js starts them in Node. */

import { NextPixelError } from '../base/error.js';
import { part, recovering } from '../base/part.js';
import { startOwn, workerAddress } from '../files.js';
import { inNode } from '../base/platform.js';

/** Time limit in milliseconds for a worker to load its script and announce itself. */
const START_MS = 60000;

/** @import { WorkerUrl } from '../engine/protocol.js' */

/**
 * A worker in a browser or in Node, with the same three methods for both.
 *
 * @typedef {object} WorkerHandle
 * @property {(message: object, transfer?: Transferable[]) => void} post
 * @property {(busy: boolean) => void} hold  sets whether an answer is awaited; in Node, a worker from which no answer is awaited does not
 *   keep the process alive
 * @property {() => void} end
 */

/**
 * Starts worker.js.
 *
 * @param {(message: any) => void} onMessage
 * @param {(reason: string) => void} onDeath  called when the worker has ended on its own
 * @param {WorkerUrl} [workerUrl]
 * @param {Worker} [early]  a worker that is already started
 * @returns {Promise<WorkerHandle>} in a browser, resolves when the worker has announced itself. Rejects with the reason if the worker could
 *   not be started
 */
export async function startWorker(onMessage, onDeath, workerUrl, early) {
  if (typeof Worker === 'function') {
    const start = () => (workerUrl === undefined ? startOwn() : new Worker(/** @type {string} */ (workerUrl), { type: 'module' }));
    // Requests an announcement, because the first announcement may have come before the listener was added.
    early?.postMessage({ type: 'beat', id: 0 });
    const worker = await begun(() => early ?? start()).catch(async (cause) =>
      (await recovering(cause)).startFallback(workerUrl, begun, cause),
    );
    worker.onmessage = (event) => onMessage(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      onDeath(event.message);
    };
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      hold() {},
      end: () => worker.terminate(),
    };
  }
  if (!inNode) throw new NextPixelError('unsupported', 'A service or shared worker has no workers: load the model in a page');
  return (await part(() => import('./node-worker.js'))).startInNode(onMessage, onDeath, workerUrl ?? workerAddress());
}

/**
 * Waits until a worker has announced itself.
 *
 * @param {() => Worker} make
 * @returns {Promise<Worker>}
 */
function begun(make) {
  return new Promise((resolve, reject) => {
    const worker = make();
    const fail = (/** @type {string} */ reason) => {
      clearTimeout(timer);
      worker.terminate();
      reject(new Error(reason));
    };
    const timer = setTimeout(fail, START_MS, `no answer for ${START_MS / 1000} seconds`);
    worker.onmessage = () => {
      clearTimeout(timer);
      resolve(worker);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      // If a script cannot be loaded, the event has no message.
      fail(event.message || 'its script could not be loaded: serve worker.js next to the library');
    };
  });
}
