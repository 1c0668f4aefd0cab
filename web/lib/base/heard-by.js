// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Wraps a listener of the caller, and passes on the first error of the listener. The error may be thrown or, if the listener is
 * asynchronous, be a later rejection that no other code could catch.
 *
 * @template T
 * @param {((value: T) => unknown) | undefined} listener
 * @param {(reason: any) => void} failed  called with an error if no reader is left to receive it
 * @returns {((value: T) => void) & { turn: () => Promise<void> | false }}  turn: before the end of a run, waits until the last asynchronous
 * call of the listener can no longer fail
 */
export function heardBy(listener, failed) {
  let later = false;
  let fail = failed;
  const hear = (/** @type {T} */ value) => {
    const answer = /** @type {any} */ (listener?.(value));
    if (typeof answer?.then !== 'function') return;
    later = true;
    answer.then(undefined, (/** @type {unknown} */ reason) => {
      const tell = fail;
      fail = () => {};
      tell(reason);
    });
  };
  return Object.assign(hear, {
    turn: () =>
      later &&
      new Promise((/** @type {(value: void) => void} */ resolve) => {
        setTimeout(resolve);
      }),
  });
}
