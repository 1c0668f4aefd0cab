// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The few places where a browser and Node differ, found by feature tests. No other module asks where it runs, but
 * source.js for file paths.
 */

/** Whether this is Node (or a page with Node's modules at hand, whose own workers and fetch are used all the same). */
export const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';

/**
 * Imports one of Node's own modules. The name is a variable so that bundlers for the browser leave the import alone.
 *
 * @param {'node:fs/promises' | 'node:os' | 'node:worker_threads' | 'node:url'} name
 * @returns {Promise<any>}
 */
export function nodeModule(name) {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}

/** How many threads run at the same time here, as the system counts them; 1 where it does not say. */
export async function parallelism() {
  return globalThis.navigator?.hardwareConcurrency ?? (inNode ? (await nodeModule('node:os')).availableParallelism() : 1);
}

/**
 * One worker, in a browser or in Node, with the same four verbs.
 *
 * @typedef {object} WorkerHandle
 * @property {(message: object, transfer?: Transferable[]) => void} post
 * @property {(busy: boolean) => void} hold  whether its answers are awaited: in Node, a worker that nobody waits for
 *   does not keep the process alive
 * @property {() => void} end
 */

/**
 * Starts worker.js.
 *
 * @param {(message: any) => void} onMessage
 * @param {(reason: string) => void} onDeath  the worker could not start, or ended by itself
 * @returns {Promise<WorkerHandle>}
 */
export async function startWorker(onMessage, onDeath) {
  if (typeof Worker === 'function') {
    // The inline form is the one that bundlers recognise.
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = (event) => onMessage(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      // A script that cannot be loaded gives an event without a message.
      onDeath(event.message || 'its script could not be loaded; check that worker.js is served beside the library');
    };
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      hold() {},
      end: () => worker.terminate(),
    };
  }
  const { Worker: NodeWorker } = await nodeModule('node:worker_threads');
  const file = './worker.js'; // not a literal inside new URL: the bundlers' worker is the one above
  // Flags of the process such as --input-type are not for it.
  const worker = new NodeWorker(new URL(file, import.meta.url), { execArgv: [] });
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

/**
 * Calls `handler` with every message of the page, and gives back how to answer. In a browser the handler is set before
 * this function returns, for messages that arrive earlier would be lost; in Node they wait.
 *
 * @param {(message: any) => void} handler
 * @returns {(message: object, transfer?: Transferable[]) => void}
 */
export function listenInWorker(handler) {
  const scope = /** @type {any} */ (globalThis);
  if (typeof scope.WorkerGlobalScope === 'function') {
    scope.onmessage = (/** @type {MessageEvent} */ event) => handler(event.data);
    return (message, transfer = []) => scope.postMessage(message, transfer);
  }
  /** @type {any} */
  let port;
  nodeModule('node:worker_threads').then(({ parentPort }) => {
    port = parentPort;
    port.on('message', handler);
  });
  return (message, transfer = []) => port.postMessage(message, transfer);
}

/**
 * A function that runs `task` after the messages that wait now. A MessageChannel is not clamped to 4 ms as setTimeout
 * is; Node drains a whole channel before it looks at another one, so there it is setImmediate.
 *
 * @param {() => void} task
 * @returns {() => void}
 */
export function deferred(task) {
  if (typeof setImmediate === 'function') return () => void setImmediate(task);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = task;
  return () => port2.postMessage(null);
}
