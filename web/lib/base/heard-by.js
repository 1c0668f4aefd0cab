// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A function of the caller's that only listens. What it throws goes on its way; what it throws later, where it is asynchronous, is told too, for else it
 * would be an error of the page that nobody can catch.
 *
 * @template T
 * @param {((value: T) => unknown) | undefined} listener
 * @param {(reason: any) => void} failed  throws it again where nobody can be told any more
 * @returns {(value: T) => void}
 */
export function heardBy(listener, failed) {
  return (value) => {
    const answer = /** @type {any} */ (listener?.(value));
    if (typeof answer?.then === 'function') answer.then(undefined, failed);
  };
}
