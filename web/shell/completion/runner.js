// SPDX-License-Identifier: MIT
// The run of three endings: starts, restarts when a setting changes, pauses, steps, stops, and keeps the pictures so far.
// @ts-check
import { toImage, PIXELS, SIDE } from '../digits.js';
import { Pace, chunkFor, play } from '../pace.js';
import { reducedMotion } from '../dom.js';
/** @import { State, Store } from './state.js' */

export const SAMPLES = 3;
const RESTART_MS = 160;

/**
 * @typedef {Object} Ending a picture as far as it is drawn
 * @property {Uint8Array} values
 * @property {Float32Array} nats of the drawn part; zero in the given part
 * @property {number} filled
 */

/**
 * @param {Store<State>} store
 * @param {Object} hooks
 * @param {() => void} hooks.onChange the pictures changed
 * @param {(ms: number, elements: number, first: boolean) => void} hooks.onPull
 * @param {(error: unknown) => void} hooks.onError
 */
export function createRunner(store, { onChange, onPull, onError }) {
  /** @type {Ending[]} */
  const pictures = Array.from({ length: SAMPLES }, () => (
    { values: new Uint8Array(PIXELS), nats: new Float32Array(PIXELS), filled: 0 }));
  const pace = new Pace(store.now.speed);
  let stopper = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Back to the given part. */
  function reset() {
    clearTimeout(timer);
    timer = undefined;
    stopper.abort();
    const { source, rows } = store.now;
    if (!source) return;
    for (const picture of pictures) {
      picture.values.set(source.pixels);
      picture.nats.fill(0);
      picture.filled = rows * SIDE;
    }
    store.set({ hover: null, place: null });
    onChange();
  }

  /** @param {boolean} [paused] wait for step() */
  async function start(paused = false) {
    reset();
    const { model, source, rows, seed, temperature, label } = store.now;
    if (!model || !source) return;
    stopper = new AbortController();
    const { signal } = stopper;
    const speed = reducedMotion() ? Infinity : store.now.speed;
    pace.speed = speed;
    if (paused) pace.pause(); else pace.resume();
    store.set({ phase: paused ? 'paused' : 'running' });
    let first = true;
    try {
      const run = model.complete(toImage(source.pixels), {
        rows, seed, temperature, samples: SAMPLES, chunk: chunkFor(speed), signal, ...(label && { label }),
      });
      await play(run, {
        samples: SAMPLES, from: rows * SIDE, pace, signal,
        onPull(ms, elements) { onPull(ms, elements, first); first = false; },
        onPixels(drawn) {
          for (const { sample, at, value, nats } of drawn) {
            const picture = pictures[sample];
            picture.values[at] = value;
            picture.nats[at] = nats;
            picture.filled = at + 1;
          }
          // With reduced motion a picture appears when it is finished, unless the visitor steps through it.
          if (!reducedMotion() || pace.paused) onChange();
        },
      });
      if (signal.aborted) return;
      store.set({ phase: 'done' });
      onChange();
    } catch (error) {
      if (signal.aborted) return;
      store.set({ phase: 'ready' });
      onError(error);
    }
  }

  store.on(['speed'], ({ speed }) => { pace.speed = speed; });
  store.on(['source', 'rows', 'seed', 'temperature', 'label'], () => {
    reset();
    if (!store.now.model) return;
    store.set({ phase: 'running' });
    timer = setTimeout(() => start(), RESTART_MS);
  });

  return {
    pictures,
    start: () => start(),
    reset,
    pause() {
      if (timer !== undefined) start(true); // a restart that was still to come begins paused
      else pace.pause();
      store.set({ phase: 'paused' });
    },
    resume() {
      pace.resume();
      store.set({ phase: 'running' });
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      stopper.abort();
      store.set({ phase: 'ready' });
    },
    /** One pixel of every ending; a run under way is paused. */
    step() {
      if (store.now.phase === 'running') this.pause();
      else if (store.now.phase !== 'paused') start(true);
      pace.step(1);
    },
  };
}
