// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Waits for a promise until it settles or one of the signals is aborted.
 *
 * @template T
 * @param {T | Promise<T>} value
 * @param {(AbortSignal | undefined)[]} signals
 * @returns {Promise<T>} rejects when a signal is aborted before the value is available
 */
export function abortable(value, ...signals) {
  return new Promise((resolve, reject) => {
    const leave = () => signals.forEach((signal) => signal?.removeEventListener('abort', abort));
    const abort = () => {
      leave();
      reject(signals.find((signal) => signal?.aborted)?.reason);
    };
    Promise.resolve(value).then(resolve, reject).then(leave);
    for (const signal of signals) signal?.addEventListener('abort', abort);
    if (signals.some((signal) => signal?.aborted)) Promise.resolve().then(abort);
  });
}
