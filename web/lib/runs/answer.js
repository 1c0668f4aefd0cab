// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The base class of results that are computed in one piece. Such a result can be read and shown like a run with a single step. This step is
 * the result itself, with all the data needed to show it.
 */

import { checkShown } from '../base/checks.js';
import { showAll } from '../sinks/canvas.js';

/** @import { Canvas, Sink } from '../sinks/canvas.js' */

/**
 * The methods that each subclass defines: `whole` returns the result with the data that its sink needs, and `sink` creates the sink that
 * shows it.
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

  /** Returns the fraction of the work that is done after the only step. @internal */
  doneWith() {
    return 1;
  }

  /**
   * Shows the result on a canvas.
   *
   * @param {Canvas} canvas
   * @param {{ signal?: AbortSignal }} options  the signal and the options of the sink
   * @returns {Promise<string>}
   * @internal
   */
  async show(canvas, options) {
    checkShown(options);
    const { signal, ...how } = options;
    const { sink } = /** @type {Particular<Whole>} */ (/** @type {unknown} */ (this));
    return showAll(this.read(signal), sink.call(this, canvas, how));
  }

  /** Yields the result as the only step. @param {AbortSignal} [signal] @returns {AsyncGenerator<Whole, void, void>} @internal */
  async *read(signal) {
    const { whole } = /** @type {Particular<Whole>} */ (/** @type {unknown} */ (this));
    yield await whole.call(this, signal);
  }
}
