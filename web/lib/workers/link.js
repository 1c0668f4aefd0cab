// SPDX-License-Identifier: MIT
// @ts-check

/** The page's side of the protocol: one worker and its jobs. */

import { NextPixelError, fromPlain } from '../base/error.js';
import { Job } from './job.js';
import { startWorker } from './start.js';

/** @import { FromWorker, ToWorker, WorkerUrl } from '../engine/protocol.js' */
/** @import { WorkerHandle } from './start.js' */

/**
 * `BEAT_MS`: milliseconds between two heartbeats. At most `MISSES` consecutive heartbeats may stay unanswered. While the worker reads a
 * file, the limit is `MISSES_OPENING`. Heartbeats are sent while an answer from the worker is awaited.
 */
const BEAT_MS = 4000;
const MISSES = 5;
const MISSES_OPENING = 30;

export class Link {
  /** @type {WorkerHandle | undefined} */
  #worker;
  /** @type {WorkerUrl | undefined} */
  #workerUrl;
  /** The reason why no more requests are possible. @type {NextPixelError | undefined} */
  #ended;
  /** @type {Map<number, Job>} */
  #jobs = new Map();
  #lastId = 0;
  #waiting = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #beat;
  #missed = 0;
  #mayMiss = MISSES;
  /** Resolves when the replacement for a worker that ended has started. @type {Promise<void> | undefined} */
  #successor;

  /**
   * Fetches the data that a replacement worker needs, and returns the function that sends it. If this function is undefined, a worker that
   * ends is not replaced.
   *
   * @type {(() => Promise<(link: Link) => Promise<unknown>>) | undefined}
   */
  restore;

  #closing = new AbortController();
  /** Aborted when the link ends. Code that waits for something other than an answer uses this signal. */
  closing = this.#closing.signal;

  /** Called when the link ends, to end the objects that depend on it. */
  onEnd = () => {};

  /**
   * Starts the worker.
   *
   * @param {WorkerUrl} [workerUrl]  address of the worker's script, if it is not the one next to the library
   * @param {Worker} [early]  a worker that is already started
   */
  static async start(workerUrl, early) {
    const link = new Link();
    link.#workerUrl = workerUrl;
    link.#worker = await link.#start(early);
    return link;
  }

  /** @param {Worker} [early] @returns {Promise<WorkerHandle>} */
  async #start(early) {
    /** @type {WorkerHandle | undefined} */
    let mine;
    let heard = false;
    try {
      mine = await startWorker(
        (message) => {
          heard = true;
          this.#receive(message);
        },
        (reason) => {
          if (!heard) this.end(new NextPixelError('network', `The worker could not be started: ${reason}`));
          else if (mine === this.#worker) this.#lose(reason);
        },
        this.#workerUrl,
        early,
      );
    } catch (cause) {
      if (cause instanceof NextPixelError) throw cause;
      throw new NextPixelError('network', `The worker could not be started (${cause})`, { cause });
    }
    return mine;
  }

  /** Returns the reason why no more requests are possible; undefined if they are possible. */
  get ended() {
    return this.#ended;
  }

  /**
   * Creates a job.
   *
   * @param {(AbortSignal | undefined)[]} signals  the job ends when any of these signals is aborted
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
   * Ends the worker. All its jobs reject with `error`.
   *
   * @param {NextPixelError} error
   */
  end(error) {
    if (this.#ended) return;
    this.#ended = error;
    for (const job of [...this.#jobs.values()]) job.end(error);
    this.#worker?.end();
    this.#closing.abort(error);
    this.onEnd();
  }

  /**
   * Called when the worker has ended unexpectedly. Ends its jobs.
   *
   * @param {string} reason
   */
  #lose(reason) {
    if (this.#ended) return;
    const error = new NextPixelError('trap', `The worker stopped: ${reason}. ${this.restore ? 'Start again' : 'Load the model again'}`);
    if (!this.restore) return this.end(error);
    this.#worker?.end();
    this.#worker = undefined;
    for (const job of [...this.#jobs.values()]) job.fail(error);
  }

  /**
   * @param {ToWorker} message
   * @param {Transferable[]} [transfer]
   */
  #post(message, transfer) {
    if (this.#ended) return;
    const opening = ['open', 'begin', 'feed'].includes(message.type);
    if (opening) this.#mayMiss = MISSES_OPENING;
    if (this.#worker && (opening || !this.#successor)) return this.#worker.post(message, transfer);
    // Messages are sent in the order in which they were posted, after the messages that set up the new worker.
    (this.#successor ??= this.#succeed()).then(
      () => this.#post(message, transfer),
      (error) => this.#jobs.get(message.id)?.fail(error),
    );
  }

  async #succeed() {
    const starting = this.#start();
    try {
      const tell = await /** @type {NonNullable<Link['restore']>} */ (this.restore)();
      this.#worker = await starting;
      this.#worker.hold(this.#waiting > 0);
      await tell(this);
      if (this.#ended) this.#worker.end();
    } catch (error) {
      this.#worker = undefined;
      starting.then(
        (worker) => worker.end(),
        () => {},
      );
      throw error;
    } finally {
      this.#successor = undefined;
    }
  }

  /** @param {FromWorker} message */
  #receive(message) {
    this.#missed = 0;
    if (message.type === 'lost') return this.#lose('the engine stopped unexpectedly');
    const job = this.#jobs.get(message.id);
    if (!job) return; // the message answers a heartbeat, or belongs to a job that was stopped in the meantime
    this.#mayMiss = MISSES;
    if (message.type === 'failed') job.fail(fromPlain(message.error));
    else job.answer(message);
  }

  /** @param {boolean} waiting  true: a job starts to wait for an answer; false: a job stops waiting */
  #hold(waiting) {
    this.#waiting += waiting ? 1 : -1;
    const busy = this.#waiting > 0;
    if (!this.#ended) this.#worker?.hold(busy);
    if (busy && !this.#beat) {
      this.#missed = 0;
      this.#beat = setInterval(() => this.#listen(), BEAT_MS);
    } else if (!busy) {
      clearInterval(this.#beat);
      this.#beat = undefined;
    }
  }

  /** Sends a heartbeat. A worker that was terminated from outside sends no message about its end, but leaves heartbeats unanswered. */
  #listen() {
    if (!this.#worker) return;
    if (++this.#missed > this.#mayMiss) this.#lose(`it has not answered for ${(this.#mayMiss * BEAT_MS) / 1000} seconds`);
    else this.#worker.post({ type: 'beat', id: 0 });
  }
}
