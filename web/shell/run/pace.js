// SPDX-License-Identifier: MIT
// Limits the speed of a run. A run can be limited to a maximum speed, paused, or advanced one pixel at a time. The library computes
// only the requested pixels, so delaying the requests slows the run.
// @ts-check

/**
 * A run catches up on delays of at most this many milliseconds. After a longer delay, for example because the page was hidden, the run
 * continues at its normal speed.
 */
const BACKLOG_MS = 250;

export class Pace {
  #speed;
  #paused = false;
  #granted = 0;
  #since = 0;
  #shown = 0;
  #wake = () => {};

  /** @param {number} speed pixels per second; Infinity for no limit */
  constructor(speed) {
    this.#speed = speed;
  }

  get paused() {
    return this.#paused;
  }

  /** @param {number} speed */
  set speed(speed) {
    this.#speed = speed;
    this.#rebase();
  }

  pause() {
    this.#paused = true;
    this.#granted = 0;
    this.#wake();
  }
  resume() {
    this.#paused = false;
    this.#rebase();
  }

  /** Lets a paused run show n more pixels. @param {number} n */
  step(n) {
    this.#granted += n;
    this.#wake();
  }

  #rebase() {
    this.#since = performance.now();
    this.#shown = 0;
    this.#wake();
  }

  /**
   * Waits until pixels may be shown, and returns how many pixels may be shown, at most `limit`.
   * @param {number} limit
   * @param {AbortSignal} signal
   */
  async take(limit, signal) {
    for (;;) {
      signal.throwIfAborted();
      let wait = Infinity;
      if (this.#paused) {
        if (this.#granted > 0) {
          const n = Math.min(limit, this.#granted);
          this.#granted -= n;
          return n;
        }
      } else if (this.#speed === Infinity) {
        return limit;
      } else {
        const elapsed = performance.now() - this.#since;
        const due = Math.floor((elapsed * this.#speed) / 1000) - this.#shown + 1;
        if (due > 0) {
          const n = Math.min(limit, due);
          this.#shown += n;
          if (((due - n) * 1000) / this.#speed > BACKLOG_MS) this.#rebase();
          return n;
        }
        wait = (this.#shown * 1000) / this.#speed - elapsed;
      }
      await this.#sleep(wait, signal);
    }
  }

  /** Waits for the time that `count` pixels take at the current speed. @param {number} count @param {AbortSignal} signal */
  async pass(count, signal) {
    for (let left = count; left > 0; ) left -= await this.take(left, signal);
  }

  /** Waits until the time has passed, the pace changes, or the signal is aborted. @param {number} ms @param {AbortSignal} signal */
  async #sleep(ms, signal) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    await new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      signal.addEventListener('abort', this.#wake, { once: true });
      if (ms < Infinity) timer = setTimeout(resolve, Math.max(1, ms));
    });
    clearTimeout(timer);
    signal.removeEventListener('abort', this.#wake);
  }
}

/**
 * Returns the maximum number of elements per request: roughly the number shown in 40 ms, but at most 28 (the width of a digit in pixels).
 * @param {number} speed
 */
export const chunkFor = (speed) => Math.max(1, Math.min(28, Math.round(speed / 25)));

/**
 * @typedef {Object} Batch the elements with the indices `from` to `to` - 1 of every sample
 * @property {number} from
 * @property {number} to
 * @property {Uint8Array[]} values
 * @property {Float32Array[]} nats
 */

/**
 * Plays a run to its end.
 * @param {AsyncIterable<{ sample: number, from: number, to: number, values: Uint8Array, nats: Float32Array }>} run
 * @param {Object} options
 * @param {number} options.samples
 * @param {number} options.from index of the first element that the run draws
 * @param {{ take: (limit: number, signal: AbortSignal) => Promise<number> }} options.pace waits until pixels may be shown, and returns
 *   how many pixels may be shown
 * @param {AbortSignal} options.signal
 * @param {(ms: number, elements: number) => void} options.onPull receives the time that the model took for the requested elements
 * @param {(steps: { sample: number, at: number, value: number, nats: number }[]) => void} options.onPixels
 */
export async function play(run, { samples, from, pace, signal, onPull, onPixels }) {
  const steps = run[Symbol.asyncIterator]();
  /** @type {Map<number, { value: number, nats: number }>[]} elements that were pulled but not shown yet, by sample and position */
  const waiting = Array.from({ length: samples }, () => new Map());
  try {
    for (let at = from, granted = 0; ; at++) {
      if (granted === 0) {
        // The number of pixels that have been received for every sample. If this number is zero, the next pixel is requested.
        const here = Math.min(...waiting.map((queue) => queue.size));
        granted = await pace.take(Math.max(1, here), signal);
      }
      const start = performance.now();
      let pulled = 0;
      while (!waiting.every((queue) => queue.has(at))) {
        const { done, value: step } = await steps.next();
        if (done) return;
        for (let i = 0; i < step.values.length; i++) {
          waiting[step.sample].set(step.from + i, { value: step.values[i], nats: step.nats[i] });
        }
        pulled += step.values.length;
      }
      if (pulled) onPull(performance.now() - start, pulled);
      onPixels(
        waiting.map((queue, sample) => {
          const drawn = /** @type {{ value: number, nats: number }} */ (queue.get(at));
          queue.delete(at);
          return { sample, at, ...drawn };
        }),
      );
      granted--;
    }
  } finally {
    await steps.return?.();
  }
}
