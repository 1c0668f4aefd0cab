// SPDX-License-Identifier: MIT
// @ts-check

/** Runs whose steps are kept, so that several can read them, one after another or at the same time. */

import { abortable } from '../base/abort.js';
import { BaseRun } from './base-run.js';

/**
 * Streaming is pulled: the worker computes while a step is awaited, and not otherwise. When the last reader leaves before the end, the run
 * stops, or, where it holds nothing in the worker, waits for the next one; what was drawn can still be read. The signal and `model.close()` stop it.
 *
 * @template Step, Result
 * @extends {BaseRun<Step, Result>}
 */
export class KeptRun extends BaseRun {
  /** @type {AsyncGenerator<Step, void, void> | undefined} */
  #source;
  /** The step that is computed. @type {Promise<void> | undefined} */
  #coming;
  #readers = 0;
  #over = false;
  /** @type {{ reason: unknown } | undefined} */
  #failed;

  /** The steps so far. @type {Step[]} @internal */
  steps = [];

  /** Whether it goes on with the next reader after the last one has left. @internal */
  waits = false;

  /** Ends the run. What was drawn stays. @override */
  stop() {
    if (this.#over) return;
    this.#over = true;
    this.finish ??= 'abort';
    super.stop();
  }

  /**
   * The steps from the first one on, for one of several readers.
   *
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<Step, void, void>}
   * @override
   * @internal
   */
  async *read(signal) {
    this.#readers++;
    try {
      for (let i = 0; ; i++) {
        while (i >= this.steps.length && !this.#over) {
          for (const one of [signal, ...this.signals]) one?.throwIfAborted();
          await abortable(this.#coming ??= this.#advance().finally(() => { this.#coming = undefined; }), signal);
        }
        signal?.throwIfAborted();
        if (i >= this.steps.length) break;
        yield this.steps[i];
      }
      if (this.#failed) throw this.#failed.reason;
    } finally {
      if (--this.#readers === 0 && (!this.waits || this.signals.some((one) => one?.aborted))) this.stop();
    }
  }

  /** Asks for the next step. */
  async #advance() {
    try {
      const { value, done } = await (this.#source ??= this.computed()).next();
      if (done) this.#over = true;
      else if (!this.#over) this.steps.push(value);
    } catch (reason) {
      if (!this.#over) this.#failed = { reason };
      this.stop();
    }
  }
}
