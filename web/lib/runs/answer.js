// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Lets a result that arrives in one piece be read and shown like a run. The only step is the result itself, with all the data needed to
 * show it.
 */

import { checkShown } from '../base/checks.js';
import { showAll } from '../sinks/canvas.js';

/** @import { Canvas, Sink } from '../sinks/canvas.js' */

/**
 * Each kind of result defines its sink, and a method that returns the result with the data that the sink needs.
 *
 * @template Whole
 * @typedef {{ whole(signal?: AbortSignal): Whole | Promise<Whole>, sink(canvas: Canvas, options: object): Sink<Whole, string> }} Particular
 */

/**
 * @template Whole
 * @implements {AsyncIterable<Whole>}
 */
export class Answer {
  /** @returns {AsyncGenerator<Whole, void, void>} */
  [Symbol.asyncIterator]() {
    return this.read();
  }

  /** Returns the finished fraction after the only step. @internal */
  doneWith() {
    return 1;
  }

  /**
   * Shows the answer on a canvas.
   *
   * @param {Canvas} canvas
   * @param {{ signal?: AbortSignal }} options  signal, and the options of the sink
   * @returns {Promise<string>}
   * @internal
   */
  async show(canvas, options) {
    checkShown(options);
    const { signal, ...how } = options;
    const { sink } = /** @type {Particular<Whole>} */ (/** @type {unknown} */ (this));
    return showAll(this.read(signal), sink.call(this, canvas, how));
  }

  /** Yields the only step. @param {AbortSignal} [signal] @returns {AsyncGenerator<Whole, void, void>} @internal */
  async *read(signal) {
    const { whole } = /** @type {Particular<Whole>} */ (/** @type {unknown} */ (this));
    yield await whole.call(this, signal);
  }
}
