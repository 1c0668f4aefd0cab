// SPDX-License-Identifier: MIT
// One run at a time of a figure: its phase, its pace, its end by the next one, and what becomes of it out of sight.
// @ts-check
import { reducedMotion } from '../page/dom.js';
import { whileSeen } from '../page/in-sight.js';
import { Pace } from './pace.js';
/** @import { Phase } from './transport.js' */

export class Playback {
  /** @type {Phase} */
  #phase = 'empty';
  #stopper = new AbortController();
  #onPhase;
  #onError;
  #pace;

  /**
   * @param {Object} hooks
   * @param {number} [hooks.speed] elements per second; without one there is no limit
   * @param {(phase: Phase) => void} hooks.onPhase the phase is another one
   * @param {(error: unknown) => void} [hooks.onError] a run has failed; the phase is 'ready'
   */
  constructor({ speed = Infinity, onPhase, onError = () => {} }) {
    this.#pace = new Pace(speed);
    this.#onPhase = onPhase;
    this.#onError = onError;
  }

  get phase() {
    return this.#phase;
  }

  /** Whether a run is under way. */
  get active() {
    return this.#phase === 'running' || this.#phase === 'paused' || this.#phase === 'timing';
  }

  /** Whether a run waits for resume() or step(). */
  get paused() {
    return this.#pace.paused;
  }

  /** @param {number} speed elements per second */
  set speed(speed) {
    this.#pace.speed = speed;
  }

  /** @param {Phase} next */
  enter(next) {
    if (this.#phase === next) return;
    this.#phase = next;
    this.#onPhase(next);
  }

  /**
   * Starts a run and replaces the previous one. At its end the phase is 'done', or the value that the work returns.
   *
   * @param {(signal: AbortSignal) => Promise<Phase | void>} work
   * @param {{ during?: Phase, paused?: boolean }} [options] paused: waits for resume() or step()
   */
  async run(work, { during = 'running', paused = false } = {}) {
    this.abort();
    const { signal } = (this.#stopper = new AbortController());
    if (paused) this.#pace.pause();
    else this.#pace.resume(); // its clock starts now
    this.enter(paused ? 'paused' : during);
    try {
      const end = await work(signal);
      if (!signal.aborted) this.enter(end ?? 'done');
    } catch (error) {
      if (signal.aborted) return;
      this.#stopper.abort(); // whatever else the work has begun
      this.enter('ready');
      this.#onError(error);
    }
  }

  /** The clock of the pace starts now: what the work did before takes nothing off the time that elements are shown. */
  rebase() {
    if (!this.#pace.paused) this.#pace.resume();
  }

  /** Gives the run up; the phase is for the caller to say. */
  abort() {
    this.#stopper.abort();
  }

  /** Gives the run up. */
  stop() {
    this.abort();
    if (this.active) this.enter('ready');
  }

  pause() {
    if (this.#phase !== 'running') return;
    this.#pace.pause();
    this.enter('paused');
  }

  resume() {
    if (this.#phase !== 'paused') return;
    this.#pace.resume();
    this.enter('running');
  }

  /** Lets one element through while the run is paused. */
  step() {
    this.#pace.step(1);
  }

  /**
   * Waits until elements may be shown and answers how many, at most `limit`. With less motion all may at once, unless the run is paused.
   *
   * @param {number} limit
   * @param {AbortSignal} signal
   */
  async take(limit, signal) {
    signal.throwIfAborted();
    return reducedMotion() && !this.#pace.paused ? limit : this.#pace.take(limit, signal);
  }

  /** Waits until `count` elements may have been shown. @param {number} count @param {AbortSignal} signal */
  async pass(count, signal) {
    signal.throwIfAborted();
    if (!reducedMotion() || this.#pace.paused) await this.#pace.pass(count, signal);
  }

  /**
   * Begins when the element is seen first, and waits out of sight.
   *
   * @param {Element} element
   * @param {() => void} begin
   */
  watch(element, begin) {
    return whileSeen(element, {
      start: () => {
        if (this.#phase === 'running') this.#pace.resume();
        else if (this.#phase === 'ready') begin();
        else return false;
        return true;
      },
      stop: () => {
        if (this.#phase === 'timing') this.stop(); // times are of no use when the page does not get the processor
        if (this.#phase === 'running') this.#pace.pause();
        return this.#phase === 'running';
      },
    });
  }
}
