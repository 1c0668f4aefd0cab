// SPDX-License-Identifier: MIT
// Manages the run of a figure: its phase and its speed. A new run replaces the current one, and a run pauses while the figure is out of
// sight.
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
   * @param {number} [hooks.speed] elements per second (default: no limit)
   * @param {(phase: Phase) => void} hooks.onPhase called when the phase changes
   * @param {(error: unknown) => void} [hooks.onError] called after a run has failed; the phase is then 'ready'
   */
  constructor({ speed = Infinity, onPhase, onError = () => {} }) {
    this.#pace = new Pace(speed);
    this.#onPhase = onPhase;
    this.#onError = onError;
  }

  get phase() {
    return this.#phase;
  }

  /** Returns whether a run is active. */
  get active() {
    return this.#phase === 'running' || this.#phase === 'paused' || this.#phase === 'timing';
  }

  /** Returns whether a run is waiting for resume() or step(). */
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
   * Starts a run, which replaces the previous one. When the run ends, the phase becomes 'done' or the phase that `work` returns.
   *
   * @param {(signal: AbortSignal) => Promise<Phase | void>} work
   * @param {{ during?: Phase, paused?: boolean }} [options] paused: whether the run first waits for resume() or step()
   */
  async run(work, { during = 'running', paused = false } = {}) {
    this.abort();
    const { signal } = (this.#stopper = new AbortController());
    if (paused) this.#pace.pause();
    else this.#pace.resume(); // the clock of the speed limit starts now
    this.enter(paused ? 'paused' : during);
    try {
      const end = await work(signal);
      if (!signal.aborted) this.enter(end ?? 'done');
    } catch (error) {
      if (signal.aborted) return;
      this.#stopper.abort(); // also aborts everything else that the work has started
      this.enter('ready');
      this.#onError(error);
    }
  }

  /** Restarts the clock of the speed limit, so that time spent on earlier work does not count. */
  rebase() {
    if (!this.#pace.paused) this.#pace.resume();
  }

  /** Aborts the run; the caller sets the phase. */
  abort() {
    this.#stopper.abort();
  }

  /** Aborts the run and sets the phase. */
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

  /** Lets a paused run show one more element. */
  step() {
    this.#pace.step(1);
  }

  /**
   * Waits until elements may be shown, and returns how many elements may be shown, at most `limit`. With reduced motion, all elements may
   * be shown immediately, unless the run is paused.
   *
   * @param {number} limit
   * @param {AbortSignal} signal
   */
  async take(limit, signal) {
    signal.throwIfAborted();
    return reducedMotion() && !this.#pace.paused ? limit : this.#pace.take(limit, signal);
  }

  /** Waits for the time that `count` elements take at the current speed. @param {number} count @param {AbortSignal} signal */
  async pass(count, signal) {
    signal.throwIfAborted();
    if (!reducedMotion() || this.#pace.paused) await this.#pace.pass(count, signal);
  }

  /**
   * Starts a run when the element first becomes visible, and pauses the run while the element is out of sight.
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
        if (this.#phase === 'timing') this.stop(); // a hidden page gets little processor time, so measured times would be meaningless
        if (this.#phase === 'running') this.#pace.pause();
        return this.#phase === 'running';
      },
    });
  }
}
