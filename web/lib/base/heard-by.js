// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A function of the caller's that only listens. What it throws goes on its way; what it throws later, where it is asynchronous, is told too, for else it
 * would be an error of the page that nobody can catch. The first of these is enough.
 *
 * @template T
 * @param {((value: T) => unknown) | undefined} listener
 * @param {(reason: any) => void} failed  throws it again where nobody can be told any more
 * @returns {((value: T) => void) & { turn: () => Promise<void> | false }}  turn: before the end, in which what an asynchronous one began last may still fail
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
