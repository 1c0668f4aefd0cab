// SPDX-License-Identifier: MIT
// @ts-check

/** A result in one piece can be read and shown like a run: as a single step, which is the result itself with everything shown of it. */

import { checkShown } from '../base/checks.js';
import { showAll } from '../sinks/canvas.js';

/** @import { Canvas, Sink } from '../sinks/canvas.js' */

/**
 * Each kind of result names the sink that shows it, and returns itself with the data that the sink needs.
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
    return this.#steps();
  }

  /** The finished fraction after its one step. @internal */
  doneWith() {
    return 1;
  }

  /**
   * Shows the answer on a canvas.
   *
   * @param {Canvas} canvas
   * @param {{ signal?: AbortSignal }} options  and those of the sink
   * @returns {Promise<string>}
   * @internal
   */
  async show(canvas, options) {
    checkShown(options);
    const { signal, ...how } = options;
    const { sink } = /** @type {Particular<Whole>} */ (/** @type {unknown} */ (this));
    return showAll(this.#steps(signal), sink.call(this, canvas, how));
  }

  /** @param {AbortSignal} [signal] */
  async *#steps(signal) {
    const { whole } = /** @type {Particular<Whole>} */ (/** @type {unknown} */ (this));
    yield await whole.call(this, signal);
  }
}
