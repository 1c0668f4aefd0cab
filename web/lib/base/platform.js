// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The few places where a browser and Node differ, found by feature tests. No other module checks where it runs, except source.js for file
 * paths.
 */

/** True in Node, or in a page with access to Node's modules, whose own workers and fetch are used all the same. */
export const inNode = typeof globalThis.process?.versions?.node === 'string';

/**
 * Imports one of Node's own modules. The name is a variable so that bundlers for the browser leave the import alone.
 *
 * @param {'node:fs' | 'node:fs/promises' | 'node:os' | 'node:stream' | 'node:worker_threads' | 'node:url'} name
 * @returns {Promise<any>}
 */
export async function nodeModule(name) {
  // It avoids import() if possible: Jest does not support it in its scripts.
  return /** @type {any} */ (globalThis.process).getBuiltinModule?.(name) ?? import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}

/** The number of threads that run in parallel here, as the system reports; 1 if it does not. */
export async function parallelism() {
  return globalThis.navigator?.hardwareConcurrency ?? (inNode ? (await nodeModule('node:os')).availableParallelism() : 1);
}

/**
 * Calls `handler` with every message of the page, announces the worker, and returns the function that sends answers. In a browser the
 * handler is set before this function returns, because earlier messages would be lost; in Node they wait.
 *
 * @param {(message: any) => void} handler
 * @returns {(message: object, transfer?: Transferable[]) => void}
 */
export function listenInWorker(handler) {
  const scope = /** @type {any} */ (globalThis);
  if (typeof scope.postMessage === 'function') {
    // not in Node's workers
    scope.onmessage = (/** @type {MessageEvent} */ event) => handler(event.data);
    scope.postMessage({ type: 'here', id: 0 });
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
 * A function that calls back after all messages that are queued now. A MessageChannel is not clamped to 4 ms like setTimeout. Node drains a
 * whole channel before it looks at another one, so there it is setImmediate. Scripts of Jest may have neither.
 *
 * @param {() => void} callback
 * @returns {() => void}
 */
export function deferred(callback) {
  if (typeof setImmediate === 'function') return () => void setImmediate(callback);
  if (typeof MessageChannel !== 'function') return () => void setTimeout(callback);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = callback;
  return () => port2.postMessage(null);
}
