// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Wraps a listener that the caller passed to the library. If the listener throws, the wrapper throws the same error; if the listener is
 * asynchronous, its first rejection, which no other code could catch, goes to `failed`.
 *
 * @template T
 * @param {((value: T) => unknown) | undefined} listener
 * @param {(reason: any) => void} failed  receives the first rejection of an asynchronous listener
 * @returns {((value: T) => void) & { turn: () => Promise<void> | false }}  turn: called before a run ends; waits one turn of the event loop
 * if the listener is asynchronous, so that a rejection of its last call is still noticed
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
