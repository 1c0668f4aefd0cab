// SPDX-License-Identifier: MIT
// @ts-check

/** Runs tasks on the page's main thread. A task that may take longer than a frame or two yields to the event loop. */

import { deferred } from './platform.js';
import { isPromise } from './promise.js';

/** How long the page may be blocked, in milliseconds. */
const SLICE_MS = 16;

/**
 * Runs a generator of a few small steps without yielding to the event loop.
 *
 * @template T
 * @param {Generator<unknown, T, void>} work
 * @returns {T}
 */
export function atOnce(work) {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** An AbortSignal or a similar object; its method throws if the work must end. @typedef {{ throwIfAborted: () => void }} Stop */

/**
 * Runs a generator of many small steps, and yields to the event loop whenever SLICE_MS have passed.
 *
 * @template T
 * @param {Generator<unknown, T, void>} work  yields between its steps, which take a few milliseconds at most
 * @param {Stop} [signal]  checked between steps
 * @param {{ since: number }} [turn]  when the current turn began, in milliseconds (performance.now()); calls that follow each other without
 *   waiting share it
 * @returns {Promise<T>}
 */
export async function inTurns(work, signal, turn = { since: performance.now() }) {
  let goOn = () => {};
  /** @type {(() => void) | undefined} */
  let later;
  try {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      if (performance.now() - turn.since < SLICE_MS) continue;
      await new Promise((resolve) => {
        goOn = () => resolve(undefined);
        (later ??= deferred(() => goOn()))();
      });
      signal?.throwIfAborted();
      turn.since = performance.now();
    }
  } finally {
    work.return(/** @type {any} */ (undefined));
  }
}

/**
 * Calls a function with a value, or with the result of a promise once it has resolved.
 *
 * @template T, R
 * @param {T | Promise<T>} value
 * @param {(value: T) => R} goOn
 * @returns {R | Promise<R>}
 */
export function withValue(value, goOn) {
  return isPromise(value) ? value.then(goOn) : goOn(value);
}
