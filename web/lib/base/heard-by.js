// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Wraps a listener of the caller. Errors that it throws are passed on; a later rejection, if it is asynchronous, is passed on too, because
 * otherwise nothing could catch it. Only the first error is passed on.
 *
 * @template T
 * @param {((value: T) => unknown) | undefined} listener
 * @param {(reason: any) => void} failed  rethrows it when no reader is left to receive it
 * @returns {((value: T) => void) & { turn: () => Promise<void> | false }}  turn: waits before the end, when the last asynchronous call may
 * still fail
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
