// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Wraps a listener that the caller passed to the library. If the listener throws, the wrapper throws the same error. If the listener is
 * asynchronous, the wrapper passes its first rejection to `failed`, because no other code could catch it.
 *
 * @template T
 * @param {((value: T) => unknown) | undefined} listener
 * @param {(reason: any) => void} failed  receives the first rejection of an asynchronous listener
 * @returns {((value: T) => void) & { turn: () => Promise<void> | false }}  turn: call it before a run ends. If the listener is
 *   asynchronous, turn() waits one turn of the event loop, so that a rejection from the last call of the listener is also passed to
 *   `failed`
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
