// SPDX-License-Identifier: MIT
// @ts-check

/** The page's side of the protocol: one worker, and the pieces of work in flight there. */

import { NextPixelError, fromPlain } from './error.js';
import { Job } from './job.js';
import { startWorker } from './start.js';

/** @import { FromWorker, ToWorker } from './protocol.js' */
/** @import { WorkerHandle, WorkerUrl } from './start.js' */

export class Link {
  /** @type {WorkerHandle | undefined} */
  #worker;
  /** Why nothing can be asked any more. @type {NextPixelError | undefined} */
  #ended;
  /** @type {Map<number, Job>} */
  #jobs = new Map();
  #lastId = 0;
  /** Whether the worker ever answered. */
  #heard = false;
  #waiting = 0;

  /**
   * Starts the worker.
   *
   * @param {WorkerUrl} [workerUrl]  in place of the one beside the library
   */
  static async start(workerUrl) {
    const link = new Link();
    try {
      link.#worker = await startWorker(
        (message) => link.#receive(message),
        (reason) => link.end(link.#heard ?
          new NextPixelError('trap', `The worker stopped: ${reason}. Load the model again`) :
          new NextPixelError('network', `The worker could not be started: ${reason}`)),
        workerUrl,
      );
    } catch (cause) {
      if (cause instanceof NextPixelError) throw cause;
      throw new NextPixelError('network', `The worker could not be started (${cause})`, { cause });
    }
    return link;
  }

  /** Why nothing can be asked any more, if so. */
  get ended() {
    return this.#ended;
  }

  /**
   * A new piece of work.
   *
   * @param {(AbortSignal | undefined)[]} signals  each of which ends it
   */
  job(...signals) {
    const id = ++this.#lastId;
    const job = new Job({
      post: (message, transfer) => this.#post(/** @type {ToWorker} */ ({ ...message, id }), transfer),
      hold: (waiting) => this.#hold(waiting),
      forget: () => this.#jobs.delete(id),
    });
    this.#jobs.set(id, job);
    if (this.#ended) job.end(this.#ended);
    for (const signal of signals) if (signal) job.obey(signal);
    return job;
  }

  /**
   * Ends the worker and, with `error`, all that is in flight.
   *
   * @param {NextPixelError} error
   */
  end(error) {
    if (this.#ended) return;
    this.#ended = error;
    for (const job of [...this.#jobs.values()]) job.end(error);
    this.#worker?.end();
  }

  /**
   * @param {ToWorker} message
   * @param {Transferable[]} [transfer]
   */
  #post(message, transfer) {
    if (!this.#ended) this.#worker?.post(message, transfer);
  }

  /** @param {FromWorker} message */
  #receive(message) {
    this.#heard = true;
    const job = this.#jobs.get(message.id);
    if (!job) return; // the answer to a job that was stopped meanwhile
    if (message.type === 'failed') job.fail(fromPlain(message.error));
    else job.answer(message);
  }

  /** @param {boolean} waiting  one more answer is awaited, or one fewer */
  #hold(waiting) {
    this.#waiting += waiting ? 1 : -1;
    if (!this.#ended) this.#worker?.hold(this.#waiting > 0);
  }
}
