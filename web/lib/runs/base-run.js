// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The base class of all runs. Steps are computed as they are read; a run can be stopped, drawn, saved and resumed. Steps are stored, so
 * several readers can read them, in any order or at the same time.
 */

import { abortable } from '../base/abort.js';
import { copyOf } from '../base/copy.js';
import { NextPixelError, argumentError } from '../base/error.js';
import { checkOptions, checkShown, show } from '../base/checks.js';
import { classOf } from '../base/realm.js';
import { showAll } from '../sinks/canvas.js';

/** @import { Link } from '../workers/link.js' */
/** @import { DrawMessage, ModelInfo, StepMessage } from '../engine/protocol.js' */
/** @import { Sink } from '../sinks/canvas.js' */

/** @typedef {'stop' | 'length' | 'end' | 'abort'} Finish */

/**
 * The properties that every saved run has. A saved run is a plain object that can be converted to JSON and back.
 *
 * @typedef {object} SavedRun
 * @property {1} version
 * @property {string} model    identifies the model of the run
 * @property {string} seed
 * @property {object} options  the options with which the run was started, without seed and signal
 */

/** When the stored steps exceed this many bytes, the oldest steps are dropped. Readers that arrive later cannot read the dropped steps. */
const MOST_KEPT = 2 ** 27;

/** Only every EACH-th step is measured, because there are many steps and their sizes are similar. */
const EACH = 8;

/** Estimates the memory that a value takes, in bytes. @param {any} value @returns {number} */
function bytesOf(value) {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? 2 * value.length : 8;
  if (ArrayBuffer.isView(value)) return 64 + value.byteLength;
  let bytes = 32;
  for (const name in value) bytes += bytesOf(value[name]);
  return bytes;
}

/** A message that requests one part of a run. @typedef {Omit<DrawMessage, 'type' | 'id'>} Order */

/**
 * The methods that each subclass defines: `stream` yields the steps, and `sink` creates the sink that shows them.
 *
 * @template Step, Result
 * @typedef {{ stream(): AsyncGenerator<Step, void, void>, sink(target: any, options: object): Sink<Step, Result> }} Particular
 */

/**
 * @template Step
 * @template Result
 * @implements {AsyncIterable<Step>}
 */
export class BaseRun {
  #kept;
  /** The signals that stop the run. @type {(AbortSignal | undefined)[]} @internal */
  signals;
  /** @type {AsyncGenerator<Step, void, void> | undefined} */
  #source;
  /** Resolves when the step that is being computed is ready. @type {Promise<void> | undefined} */
  #next;
  /** The readers, each with the index of its next step. @type {Set<{ at: number }>} */
  #readers = new Set();
  /** `#bytes`: estimated size of all steps so far, in bytes. `#count`: number of steps so far. `#dropped`: number of steps that were
   * dropped to save memory. */
  #bytes = 0;
  #count = 0;
  #dropped = 0;
  #over = false;
  /** @type {{ reason: unknown } | undefined} */
  #failed;
  /** Aborted by stop(). All promises that the run awaits then settle, in the worker and on the page. */
  #ending = new AbortController();

  /** Whether the run must end. @type {boolean} @internal */
  stopped = false;

  /** The stored steps. Normally, these are all steps so far. @type {Step[]} @internal */
  steps = [];

  /** If true, the run pauses when its last reader leaves, and continues when another reader arrives. @internal */
  waits = false;

  /** Resolves when the input has been read; undefined if the run has no input. @type {Promise<unknown> | undefined} @internal */
  coming;

  /** Resolves when the engine has restored the given state; undefined if no state was given. @type {Promise<void> | undefined} @internal */
  ready;

  /**
   * The seed of the run: the given seed, or a random one. The same seed reproduces the run.
   *
   * @type {number | bigint}
   */
  seed;

  /**
   * Why the run ended. 'stop': a stop string was found; 'end': the result is complete; 'length': the requested length or the model's
   * capacity was reached; 'abort': the run was stopped. Undefined until the run ends.
   *
   * @type {Finish | undefined}
   */
  finish;

  /**
   * @param {number | bigint} seed
   * @param {{ model: string, options: object } | undefined} kept  the data that saved() needs, if the run can be saved
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(seed, kept, signal) {
    this.seed = seed;
    this.#kept = kept;
    // The options are copied, because the caller may change them. `kept` itself is not copied, because the run may later add facts about
    // its input to `kept`.
    if (kept) kept.options = copyOf(kept.options);
    this.signals = [signal, this.#ending.signal];
  }

  /**
   * Makes the run end when a signal is aborted.
   *
   * @param {AbortSignal | undefined} signal  the caller's signal
   * @param {AbortSignal} closing             a signal that is aborted when the worker ends
   * @param {(reason: unknown) => void} stop  called when the run ends, and when a signal is aborted while the run is reading its input
   * @internal
   */
  obey(signal, closing, stop) {
    const { signal: ending } = this.#ending;
    this.signals = [signal, ending, closing];
    ending.addEventListener('abort', () => stop(ending.reason));
    abortable(Promise.all([this.coming, this.ready]), signal, closing).catch(stop);
    return this;
  }

  /** Makes the run wait for its input. @param {Promise<unknown>} coming @internal */
  expect(coming) {
    this.coming = coming;
    coming.catch(() => {}); // readers of the run receive this error
  }

  /**
   * Waits until the input has been read, and then returns a value that depends on the input.
   *
   * @template T
   * @param {() => T} value
   * @returns {Promise<T>} rejects if the input cannot be read, or if the run ends first. The rejection is marked as handled, because
   *   readers of the run receive the error too
   * @internal
   */
  once(value) {
    const read = abortable(this.coming, ...this.signals).then(value);
    read.catch(() => {});
    return read;
  }

  /** Waits for the input. If the run is stopped meanwhile, returns without the input. @param {AbortSignal} [signal] @internal */
  async begun(signal) {
    await abortable(this.coming, signal, ...this.signals).catch((reason) => this.#unlessStopped(reason));
  }

  /** @param {unknown} reason  the reason why the wait for the input ended */
  #unlessStopped(reason) {
    if (!this.stopped || reason !== this.#ending.signal.reason) throw reason;
  }

  /** @returns {AsyncGenerator<Step, void, void>} */
  [Symbol.asyncIterator]() {
    return this.read();
  }

  /**
   * Ends the run immediately, in any phase; its readers receive no more steps. The part drawn so far is kept: it can be saved, and drawTo()
   * returns it.
   */
  stop() {
    if (this.#over) return;
    this.#over = this.stopped = true;
    this.finish ??= 'abort';
    this.#ending.abort();
  }

  /**
   * Yields the steps to one reader, starting with the first step. A run may have several readers, and the worker computes only while a
   * reader awaits a step. If the last reader leaves before the end, the run stops. If `waits` is true, the run instead pauses until another
   * reader arrives.
   *
   * @param {AbortSignal} [signal]  aborts this reader
   * @returns {AsyncGenerator<Step, void, void>}
   * @internal
   */
  async *read(signal) {
    const reader = { at: 0 };
    this.#readers.add(reader);
    try {
      for (; ; reader.at++) {
        if (reader.at < this.#dropped)
          throw new NextPixelError(
            'limit',
            `The steps of this run have more than ${MOST_KEPT / 2 ** 20} MB, so the first steps were dropped: read the run once, or without maps and probabilities`,
          );
        while (reader.at - this.#dropped >= this.steps.length && !this.#over) {
          for (const one of [signal, ...this.signals]) one?.throwIfAborted();
          this.#next ??= this.#advance();
          await abortable(this.#next, signal);
        }
        signal?.throwIfAborted();
        if (reader.at - this.#dropped >= this.steps.length) break;
        yield this.steps[reader.at - this.#dropped];
      }
      if (this.#failed) throw this.#failed.reason;
    } finally {
      this.#readers.delete(reader);
      if (this.#readers.size === 0 && (!this.waits || this.signals.some((one) => one?.aborted))) this.stop();
    }
  }

  /** Computes the next step. */
  async #advance() {
    try {
      const { value, done } = await (this.#source ??= this.computed()).next();
      if (done) this.#over = true;
      else if (!this.#over) this.#keep(value);
    } catch (reason) {
      if (!this.#over) this.#failed = { reason };
      this.stop();
    } finally {
      this.#next = undefined;
    }
  }

  /** @param {Step} step */
  #keep(step) {
    this.steps.push(step);
    if (this.#count++ % EACH === 0) this.#bytes += EACH * bytesOf(step);
    if (this.#bytes <= MOST_KEPT || this.#readers.size === 0) return;
    const read = Math.min(...[...this.#readers].map(({ at }) => at)) - this.#dropped;
    if (read < this.steps.length / 2) return;
    this.steps.splice(0, read);
    this.#dropped += read;
  }

  /**
   * Yields the steps in the order in which they are computed, until the run ends.
   * @returns {AsyncGenerator<Step, void, void>} @internal
   */
  async *computed() {
    const { stream } = /** @type {Particular<Step, Result>} */ (/** @type {unknown} */ (this));
    /** Whether the run awaits a promise that must not delay the end. */
    let waiting = false;
    /** @template T @param {Promise<T>} promise @returns {Promise<T>} */
    const within = async (promise) => {
      waiting = true;
      const value = await abortable(promise, ...this.signals);
      waiting = false;
      return value;
    };
    const steps = stream.call(this);
    try {
      if (this.stopped) return;
      if (this.coming) await within(this.coming);
      for (;;) {
        const { done, value } = await within(steps.next());
        if (done) break;
        yield value;
        if (this.stopped) return;
      }
      this.finish ??= 'end';
    } catch (reason) {
      this.#unlessStopped(reason);
    } finally {
      // If the stream is still waiting for a promise, this function does not wait for the stream. The stream ends when its promise settles,
      // and computes nothing more.
      const ended = steps.return();
      if (waiting) ended.catch(() => {});
      else await ended;
      this.finish ??= 'abort';
    }
  }

  /**
   * Shows the run on a canvas, until the run ends.
   *
   * @param {any} target  the argument of sink()
   * @param {{ signal?: AbortSignal }} options  the signal and the options of the sink
   * @returns {Promise<Result>}
   * @internal
   */
  async show(target, options) {
    checkShown(options);
    const { signal, ...how } = options;
    const { sink } = /** @type {Particular<Step, Result>} */ (/** @type {unknown} */ (this));
    // A run without pending input calls sink() synchronously, so that the known part is shown immediately.
    if (this.coming)
      await this.begun(signal).catch(async (reason) => {
        await this.read(signal).next(); // this reader fails and leaves, which ends the run
        throw reason;
      });
    return showAll(this.read(signal), sink.call(this, target, how));
  }

  /**
   * Yields the messages of the run. The parts of the run are drawn in parallel, each by one worker. A part without an `order` has nothing
   * to draw.
   *
   * @template {{ link: Link, order: Order | undefined }} Part
   * @param {Part[]} parts
   * @param {number} [chunkSize]  maximum number of positions in a message; 0: as many as the engine draws in about 10 ms
   * @param {() => Promise<Uint32Array | undefined>} [allow]  for a constrained run: returns the set of ids that may come next; if the set
   *   is empty, the run ends
   * @returns {AsyncGenerator<{ message: StepMessage, part: Part, check: () => void }, void, void>}  check() throws if the run was aborted
   * @internal
   */
  async *messages(parts, chunkSize = 0, allow) {
    const jobs = parts.map(({ link }) => link.job(...this.signals));
    const check = () => {
      for (const job of jobs) job.check();
    };
    try {
      check();
      let open = parts.flatMap((part, i) => (part.order ? { part, job: jobs[i] } : []));
      for (const { part, job } of open) job.tell({ type: 'draw', .../** @type {Order} */ (part.order) });
      while (open.length > 0 && !this.stopped) {
        const allowed = await allow?.();
        check();
        if (allowed?.every((word) => word === 0)) return;
        /** @type {StepMessage[]} */
        const messages = await Promise.all(open.map(({ job }) => job.ask({ type: 'next', chunkSize, allowed })));
        for (const [i, { part }] of open.entries()) {
          check();
          yield { message: messages[i], part, check };
        }
        open = open.filter((_, i) => !messages[i].last);
      }
      check();
    } finally {
      for (const job of jobs) job.end();
    }
  }

  /**
   * @template T
   * @param {T} drawn  the properties that only this kind of saved run has; they are copied
   * @returns {{ version: 1, seed: string, model: string, options: object } & T}
   * @internal
   */
  saved(drawn) {
    const kept = /** @type {{ model: string, options: object }} */ (this.#kept);
    return copyOf({ version: 1, seed: String(this.seed), ...kept, ...drawn });
  }
}

/**
 * Returns a string that identifies the model of a saved run.
 * @param {Pick<ModelInfo, 'architecture' | 'name' | 'parameters'> & { vocabulary?: number }} info @internal
 */
export function modelName({ architecture, name, parameters, vocabulary = 0 }) {
  return `${architecture} ${name} ${parameters} ${vocabulary}`;
}

/**
 * Returns the options for resuming a saved run.
 *
 * @template {SavedRun & { ids: any[] }} Saved
 * @param {Saved} saved
 * @param {ModelInfo} info
 * @param {Record<string, any>} given
 * @param {string[]} [free]  names of the options that may be changed; by default all
 * @returns {any}
 * @internal
 */
export function resumedOptions(saved, info, given, free) {
  const model = modelName(info);
  if (saved?.version !== 1 || !Array.isArray(saved.ids) || !/^"\d+"$/.test(show(saved.seed)) || classOf(saved.options) !== 'Object')
    throw noSavedRun();
  if (saved.model !== model)
    throw new NextPixelError('state', `The saved run belongs to another model (${show(saved.model)}), this one is ${model}`);
  const fixed = free && Object.keys(given).find((name) => !free.includes(name));
  if (fixed) throw argumentError(`resume() cannot change ${fixed}`);
  const options = { ...saved.options, seed: BigInt(saved.seed), ...given };
  checkOptions(options, 'resume()', Object.keys(options));
  return options;
}

/** Returns the error for an invalid saved run. @internal */
export function noSavedRun() {
  return new NextPixelError('state', 'This is not a saved run: pass the result of run.save()');
}
