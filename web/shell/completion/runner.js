// SPDX-License-Identifier: MIT
// Runs three completions at the same time. A run can be started, paused, advanced by one pixel, and stopped. The run restarts when a
// setting changes. The pixels drawn so far stay visible.
// @ts-check
import { reducedMotion } from '../page/dom.js';
import { toImage, PIXELS, SIDE } from '../picture/digits.js';
import { chunkFor, play } from '../run/pace.js';
import { Playback } from '../run/playback.js';
/** @import { State, Store } from './state.js' */

export const SAMPLES = 3;
const RESTART_MS = 160;

/**
 * @typedef {Object} Ending a picture and the number of pixels drawn so far
 * @property {Uint8Array} values
 * @property {Float32Array} nats surprisal of each drawn pixel in nats; zero for the given pixels
 * @property {number} filled
 */

/**
 * @param {Store<State>} store
 * @param {Object} hooks
 * @param {() => void} hooks.onChange called after the pictures have changed
 * @param {(ms: number, elements: number, first: boolean) => void} hooks.onPull
 * @param {(error: unknown) => void} hooks.onError
 */
export function createRunner(store, { onChange, onPull, onError }) {
  /** @type {Ending[]} */
  const pictures = Array.from({ length: SAMPLES }, () => ({ values: new Uint8Array(PIXELS), nats: new Float32Array(PIXELS), filled: 0 }));
  const playback = new Playback({ speed: store.now.speed, onPhase: (phase) => store.set({ phase }), onError });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Clears the pictures except for their given part. */
  function reset() {
    clearTimeout(timer);
    timer = undefined;
    playback.abort();
    const { source, rows } = store.now;
    if (!source) return;
    for (const picture of pictures) {
      picture.values.set(source.pixels);
      picture.nats.fill(0);
      picture.filled = rows * SIDE;
    }
    store.set({ hover: null, asked: null });
    onChange();
  }

  /** @param {boolean} [paused] whether the run waits for step() */
  async function start(paused = false) {
    reset();
    const { model, source, rows, seed, temperature, label } = store.now;
    if (!model || !source) return;
    const speed = reducedMotion() ? Infinity : store.now.speed;
    let first = true;
    await playback.run(
      async (signal) => {
        const run = model.complete(toImage(source.pixels), {
          rows,
          seed,
          temperature,
          samples: SAMPLES,
          chunkSize: chunkFor(speed),
          signal,
          ...(label && { label }),
        });
        await play(run, {
          samples: SAMPLES,
          from: rows * SIDE,
          pace: playback,
          signal,
          onPull(ms, elements) {
            onPull(ms, elements, first);
            first = false;
          },
          onPixels(drawn) {
            for (const { sample, at, value, nats } of drawn) {
              const picture = pictures[sample];
              picture.values[at] = value;
              picture.nats[at] = nats;
              picture.filled = at + 1;
            }
            // With reduced motion, a picture appears only when it is finished, unless the visitor draws it step by step.
            if (!reducedMotion() || playback.paused) onChange();
          },
        });
        playback.enter('done');
        onChange();
      },
      { paused },
    );
  }

  store.on(['speed'], ({ speed }) => {
    playback.speed = speed;
  });
  store.on(['source', 'rows', 'seed', 'temperature', 'label'], () => {
    reset();
    if (!store.now.model) return;
    playback.enter('running');
    timer = setTimeout(() => start(), RESTART_MS);
  });

  return {
    pictures,
    start: () => start(),
    reset,
    pause() {
      if (timer !== undefined)
        start(true); // a change has scheduled a run; start(true) starts this run now, but paused
      else playback.pause();
    },
    resume: () => playback.resume(),
    stop() {
      clearTimeout(timer);
      timer = undefined;
      playback.abort();
      playback.enter('ready');
    },
    /** Aborts the run, because the model has been closed. */
    leave() {
      playback.abort();
      playback.enter('empty');
    },
    /** Draws one more pixel of each completion and pauses the run. */
    step() {
      if (playback.phase === 'running') this.pause();
      else if (playback.phase !== 'paused') start(true);
      playback.step();
    },
  };
}
