// SPDX-License-Identifier: MIT
// @ts-check

/** One run of `<next-pixel>`: requests steps from the model, draws and reports each step, and ends with nx-end. */

import { NextPixelEndEvent, NextPixelStepEvent } from './events.js';
import { ask } from './ask.js';
import { Tally } from './tally.js';
import { isPromise } from '../base/promise.js';
import { lookOf } from '../kinds/looks.js';

/** @import { NextPixelElement } from '../element.js' */
/** @import { EndOfKinds } from '../kinds/types.js' */
/** @import { Hold } from '../load/holders.js' */
/** @import { Sink } from '../sinks/canvas.js' */
/** @import { Picture } from '../sinks/pixels.js' */
/** @import { Rest } from './rest.js' */
/** @import { Saying } from './say.js' */
/** @import { View } from './view.js' */

/**
 * The objects and functions that the element provides to its run.
 *
 * @typedef {object} Stage
 * @property {NextPixelElement} element  the element that has the attributes and dispatches the events
 * @property {View} view
 * @property {Rest} rest
 * @property {() => boolean} isCalm  returns whether a picture appears only when it is finished
 * @property {(message: string | Saying) => void} say
 * @property {(share: number) => void} onProgress  the drawn share, 0 to 1
 * @property {(error: unknown) => void} fail
 */

export class ElementRun {
  #hold;
  #stage;
  #stopper = new AbortController();
  /** Stops the playback of the sound. */
  #listening = new AbortController();
  #look;
  #samples;
  /** @type {Sink<any, any> | undefined} */
  #sink;
  /** @type {Picture[]} */
  #pictures = [];
  /** The latest step. @type {any} */
  #step;
  #tally;

  /** The run of the model, once there is one. @type {any} */
  run;
  /** Whether halt() has ended the run. */
  halted = false;

  /** @param {Hold} hold @param {Stage} stage */
  constructor(hold, stage) {
    this.#hold = hold;
    this.#stage = stage;
    const { info } = hold.model;
    const { samples, tries } = stage.element;
    this.#look = lookOf(info);
    this.#samples = samples;
    this.#tally = new Tally(samples, tries, 'sampleRate' in info ? info.sampleRate : 0);
    const { signal } = this.#stopper;
    signal.addEventListener('abort', () => this.#listening.abort(signal.reason));
  }

  get aborted() {
    return this.#stopper.signal.aborted;
  }

  /** Ends the run without dispatching an event. */
  abort() {
    this.#stopper.abort();
  }

  /** Ends the run and dispatches nx-end. */
  halt() {
    const { view, rest, fail } = this.#stage;
    this.halted = true;
    this.#listening.abort();
    if (this.#sink) view.end(this.#sink);
    this.#pictures = view.pictures;
    if (this.run?.stop) this.run.stop();
    else this.abort();
    rest.goOn();
    const told = this.#result();
    if (isPromise(told)) told.then((value) => this.#tellEnd(value), fail);
    else this.#tellEnd(told);
  }

  /**
   * Draws the run.
   *
   * @param {any} [kept]    a run to play again
   * @param {number} [seed]  replaces the `seed` attribute
   * @returns {Promise<boolean>} true if the run is complete, false if halt() has ended it. Rejects if the run failed or was aborted
   */
  async read(kept, seed) {
    const { element, view, rest, isCalm, onProgress } = this.#stage;
    const { model } = this.#hold;
    const { signal } = this.#stopper;
    const run = (this.run = kept ?? (await ask(element, model, signal, seed)));
    signal.throwIfAborted();
    const sink = (this.#sink = view.begin(run, { kind: model.info.kind, samples: this.#samples, calm: isCalm() }));
    const heard = run.aloud?.(
      sink,
      this.#listening.signal,
      (/** @type {string | Saying} */ now) => this.#stage.say(now),
      (/** @type {(resting: boolean) => void} */ hush) => rest.hear(hush, this.#listening.signal),
    );
    await rest.patience(signal);
    for await (const told of run.read(signal)) {
      await rest.patience(signal); // the run may have been paused while this step was computed
      if (this.halted) return false;
      const step = this.#tally.take(told);
      if (!step) continue;
      this.#step = step;
      sink.add(step);
      const share = run.doneWith(step);
      onProgress(share);
      if (this.halted) return false;
      element.dispatchEvent(new NextPixelStepEvent(step));
      await rest.patience(signal);
      if (this.halted) return false;
    }
    await heard;
    signal.throwIfAborted();
    return !this.halted;
  }

  /**
   * Called after read(): completes the drawing, and then dispatches nx-end.
   *
   * @param {(message: string | Saying) => void} done  called before the event, with a sentence that describes the result
   */
  async end(done) {
    this.#sink?.end(); // before the event, so that listeners of nx-end can read the canvas
    const told = await this.#result();
    this.#pictures = this.#stage.view.pictures;
    done(this.#look.done(this.#tally));
    this.#tellEnd(told);
  }

  /** Called after read() has failed: leaves the canvas as it is. */
  leave() {
    if (this.#sink) this.#stage.view.end(this.#sink);
  }

  /** Returns the properties that nx-end has only for models of this kind. */
  #result() {
    const { run } = this;
    return (run && this.#look.end?.({ run, step: this.#step, text: String(this.#sink?.result ?? '') })) ?? {};
  }

  /** @param {EndOfKinds} told */
  #tellEnd(told) {
    const { element } = this.#stage;
    const { run, halted } = this;
    element.dispatchEvent(
      new NextPixelEndEvent({
        seed: run?.seed,
        nats: this.#tally.nats,
        finish: halted ? 'abort' : run.finish,
        pictures: this.#pictures,
        toBlob: element.toBlob,
        ...told,
      }),
    );
  }
}
