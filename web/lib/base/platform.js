// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Code for the few places where browsers and Node differ; feature tests decide which code runs. A few other modules check `inNode`, mostly
 * because only Node can open a file by its path.
 */

/** True in Node. Also true in a page that has access to Node's modules, although such a page uses the browser's workers and fetch. */
export const inNode = typeof globalThis.process?.versions?.node === 'string';

/**
 * Imports one of Node's own modules. The name is a variable, so that bundlers for browsers leave this import alone.
 *
 * @param {'node:fs' | 'node:fs/promises' | 'node:os' | 'node:stream' | 'node:worker_threads' | 'node:url'} name
 * @returns {Promise<any>}
 */
export async function nodeModule(name) {
  // Avoids import() if possible, because Jest does not support import() in the scripts that it runs.
  return /** @type {any} */ (globalThis.process).getBuiltinModule?.(name) ?? import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}

/** Returns the number of threads that the system can run in parallel, or 1 if the system does not report it. */
export async function parallelism() {
  return globalThis.navigator?.hardwareConcurrency ?? (inNode ? (await nodeModule('node:os')).availableParallelism() : 1);
}

/**
 * Calls `handler` for every message from the page, announces that the worker is ready, and returns the function that sends responses. In a
 * browser, the handler is set before this function returns, because messages that arrive earlier would be lost. Node queues messages until
 * there is a handler.
 *
 * @param {(message: any) => void} handler
 * @returns {(message: object, transfer?: Transferable[]) => void}
 */
export function listenInWorker(handler) {
  const scope = /** @type {any} */ (globalThis);
  if (typeof scope.postMessage === 'function') {
    // a browser; in Node's workers, postMessage is not a global function
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
 * Returns a function that schedules the callback after all messages that are already queued. In browsers, it uses a MessageChannel, because
 * browsers delay setTimeout by at least 4 ms. In Node, it uses setImmediate, because Node handles all messages of one channel before the
 * messages of another channel. If neither exists, as in some environments of Jest, it uses setTimeout.
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
