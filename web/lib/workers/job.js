// SPDX-License-Identifier: MIT
// @ts-check

/** @import { NextPixelError } from '../base/error.js' */
/** @import { FromWorker, ToWorker } from '../engine/protocol.js' */

/**
 * A message without its id.
 *
 * @typedef {ToWorker extends infer M ? M extends ToWorker ? Omit<M, 'id'> : never : never} Request
 */

/**
 * The link to the worker, reduced to the functions that a job needs.
 *
 * @typedef {object} Wire
 * @property {(message: Request, transfer?: Transferable[]) => void} post
 * @property {(waiting: boolean) => void} hold  called with true when the job starts to wait for an answer, and with false when it stops
 *   waiting
 * @property {() => void} forget                called when the job is over
 */

/** One job in the worker. A job waits for at most one answer at a time, and ends only once. */
export class Job {
  /** @type {Wire} */
  #wire;
  /** @type {AbortSignal[]} */
  #signals = [];
  /** @type {{ resolve: (message: any) => void, reject: (reason: unknown) => void } | undefined} */
  #pending;
  /** Whether the worker has received the job. */
  #known = false;
  #over = false;
  /** @type {unknown} */
  #reason;

  /** @param {Wire} wire */
  constructor(wire) {
    this.#wire = wire;
  }

  /**
   * Makes the job end when a signal is aborted.
   *
   * @param {AbortSignal} signal
   */
  obey(signal) {
    if (signal.aborted) this.end(signal.reason);
    if (this.#over) return;
    signal.addEventListener('abort', this.#onAbort);
    this.#signals.push(signal);
  }

  #onAbort = (/** @type {Event} */ event) => this.end(/** @type {AbortSignal} */ (event.target).reason);

  /**
   * @param {Request} message
   * @param {Transferable[]} [transfer]
   */
  tell(message, transfer) {
    if (this.#over) return;
    this.#known = true;
    this.#wire.post(message, transfer);
  }

  /**
   * Sends a message and waits for its answer. Rejects if the job has already ended, or if it fails or ends before the answer arrives.
   *
   * @param {Request} message
   * @param {Transferable[]} [transfer]
   * @returns {Promise<any>}
   */
  async ask(message, transfer) {
    if (this.#over) throw this.#reason;
    this.tell(message, transfer);
    this.#wire.hold(true);
    try {
      return await new Promise((resolve, reject) => {
        this.#pending = { resolve, reject };
      });
    } finally {
      this.#pending = undefined;
      this.#wire.hold(false);
    }
  }

  /** Throws the error or the abort reason that ended the job, if any. */
  check() {
    if (this.#over && this.#reason !== undefined) throw this.#reason;
  }

  /** @param {FromWorker} message */
  answer(message) {
    if (message.type !== 'step' || message.last) this.#known = false; // the job is done, and the worker has freed it
    this.#pending?.resolve(message);
  }

  /**
   * Called when the worker has aborted and freed the job.
   *
   * @param {NextPixelError} error
   */
  fail(error) {
    this.#known = false;
    this.end(error);
  }

  /**
   * Ends the job: the worker stops computing and frees its memory. A second call does nothing.
   *
   * @param {unknown} [reason]  the rejection reason for a pending or later ask()
   */
  end(reason) {
    if (this.#over) return;
    this.#over = true;
    this.#reason = reason;
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort);
    this.#wire.forget();
    if (this.#known) this.#wire.post({ type: 'stop' });
    this.#pending?.reject(reason);
  }
}
