// SPDX-License-Identifier: MIT
// @ts-check

/** Starts a Node worker thread. This module is loaded only in Node. */

import { nodeModule } from '../base/platform.js';

/** @import { FromWorker, WorkerUrl } from '../engine/protocol.js' */
/** @import { WorkerHandle } from './start.js' */

/**
 * @param {(message: FromWorker) => void} onMessage
 * @param {(reason: string) => void} onDeath
 * @param {WorkerUrl} address  an address, or a path
 * @returns {Promise<WorkerHandle>}
 */
export async function startInNode(onMessage, onDeath, address) {
  const { Worker } = await nodeModule('node:worker_threads');
  const text = String(address);
  const url = /^(file|data):/.test(text) ? new URL(text) : (await nodeModule('node:url')).pathToFileURL(text);
  // Flags of the process, such as --input-type, must not apply to the worker.
  const worker = new Worker(url, { execArgv: [] });
  worker.on('message', onMessage);
  worker.on('error', (/** @type {Error} */ error) => onDeath(String(error)));
  worker.on('exit', () => onDeath('it ended'));
  worker.unref();
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    end: () => void worker.terminate(),
  };
}
