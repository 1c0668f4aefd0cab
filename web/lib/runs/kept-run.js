// SPDX-License-Identifier: MIT
// @ts-check

/** Runs whose steps are kept, so that several can read them, one after another or at the same time. */

import { abortable } from '../base/abort.js';

/** @import { Link } from '../workers/link.js' */
/** @import { StepMessage } from '../engine/protocol.js' */
/** @import { Order } from './base-run.js' */

/**
 * Each kind of run says what it has drawn, and what it makes of a message; or where else its steps come from.
 *
 * @template Step
 * @typedef {object} Particular
 * @property {() => Promise<Order | undefined>} order  the message that has the run drawn; undefined: there is nothing to draw
 * @property {(message: StepMessage) => { step?: Step, finish?: 'end' | 'length' }} take
 * @property {(signal?: AbortSignal) => AsyncGenerator<Step, 'end' | 'length', void>} [stream]  of a run that is no single piece of work of a worker: its
 *   steps, and how it ended
 */

/**
 * Streaming is pulled: the worker computes while a step is awaited, and not otherwise. When the last reader leaves before the end, the run
 * stops; what was drawn can still be read. So do the signal and `model.close()` stop it.
 *
 * @template Step
 * @implements {AsyncIterable<Step>}
 */
export class KeptRun {
  #link;
  #chunk;
  #signal;
  /** @type {ReturnType<Link['job']> | undefined} */
  #job;
  /** @type {AsyncGenerator<Step, 'end' | 'length', void> | undefined} */
  #stream;
  /** @type {Promise<void> | undefined} */
  #coming;
  #readers = 0;
  #over = false;
  /** @type {unknown} */
  #failed;

  /** Those so far. @type {Step[]} @internal */
  steps = [];

  /** Why it ended: 'end', what it draws is complete; 'length', it is as long as asked for, or as the model has room for; 'abort', it was stopped.
   * Undefined until then. @type {'end' | 'length' | 'abort' | undefined} */
  finish;

  /**
   * @param {Link} link
   * @param {number} chunk  the most positions in a message; 0: as many as take about 10 ms
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, chunk, signal) {
    this.#link = link;
    this.#chunk = chunk;
    this.#signal = signal;
  }

  /** Ends the run. What was drawn stays. */
  stop() {
    if (!this.#over) this.#end('abort');
  }

  /** @returns {AsyncGenerator<Step, void, void>} */
  [Symbol.asyncIterator]() {
    return this.read();
  }

  /**
   * The steps from the first one on, for one of several readers.
   *
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<Step, void, void>}
   * @internal
   */
  async *read(signal) {
    this.#readers++;
    try {
      for (let i = 0; ; i++) {
        while (i >= this.steps.length && !this.#over) {
          signal?.throwIfAborted();
          this.#signal?.throwIfAborted();
          await abortable(this.#coming ??= this.#advance().finally(() => { this.#coming = undefined; }), signal);
        }
        signal?.throwIfAborted();
        if (i >= this.steps.length) break;
        yield this.steps[i];
      }
      if (this.#failed) throw this.#failed;
    } finally {
      if (--this.#readers === 0 && !this.#over) this.#end('abort');
    }
  }

  /** Asks for the next step. */
  async #advance() {
    const { order, take, stream } = /** @type {Particular<Step>} */ (/** @type {unknown} */ (this));
    try {
      if (stream) {
        this.#stream ??= stream.call(this, this.#signal);
        const { value, done } = await this.#stream.next();
        if (this.#over) return;
        if (done) this.#end(value);
        else this.steps.push(value);
        return;
      }
      if (!this.#job) {
        const message = await order.call(this);
        if (this.#over) return;
        if (!message) return this.#end('length');
        this.#job = this.#link.job(this.#signal);
        this.#job.check();
        this.#job.tell({ type: 'draw', ...message });
        if (this.steps.length > 0) return; // what was given comes first
      }
      const message = await this.#job.ask({ type: 'next', chunk: this.#chunk });
      const { step, finish } = take.call(this, message);
      if (step) this.steps.push(step);
      if (finish) this.#end(finish);
      else if (message.last) this.#end('length');
    } catch (error) {
      this.#failed = error;
      this.#end('abort');
    }
  }

  /** @param {'end' | 'length' | 'abort'} finish */
  #end(finish) {
    this.#over = true;
    this.finish ??= finish;
    this.#job?.end();
    this.#job = undefined;
    this.#stream?.return(finish === 'abort' ? 'end' : finish).catch(() => {}); // what it does is given up
  }
}
