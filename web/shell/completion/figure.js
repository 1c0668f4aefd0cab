// SPDX-License-Identifier: MIT
// Builds a figure in which a model completes a digit three times. This module connects the model with the panels, the buttons and the texts
// below the panels.
// @ts-check
import { announce, quantise } from '../library.js';
import { createLoading } from '../model/loading.js';
import { byId, reducedMotion } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { integer, time } from '../page/words.js';
import { toImage, SIDE } from '../picture/digits.js';
import { createMeter } from '../run/meter.js';
import { createTransport } from '../run/transport.js';
import { createPanels } from './panels.js';
import { createRunner } from './runner.js';
/** @import { Hold } from '../library.js' */
/** @import { LoadOptions } from '../model/loading.js' */
/** @import { Pixel, State, Store } from './state.js' */

/**
 * @param {Store<State>} store
 * @param {Object} options
 * @param {(options: LoadOptions) => Promise<Hold>} options.acquire acquires the model
 * @param {boolean} [options.steps] whether to show two buttons: one stops the run, the other draws a single pixel
 * @param {(pixel: Pixel) => ((i: number) => number) | undefined} [options.heatAt] receives the pixel under the pointer; returns a function
 *   that maps the index of any pixel to its position on the heat ramp, 0 to 1
 * @param {(phase: 'change' | 'first' | 'done') => void} [options.onDrawn] called after pixels were drawn: 'change' on each change, 'first'
 *   after the first pixels of a run, 'done' at the end of the run
 * @param {(each: number) => void} [options.onPace] receives the time per pixel in milliseconds
 */
export function createCompletion(store, { acquire, steps = true, heatAt, onDrawn = () => {}, onPace = () => {} }) {
  const meter = createMeter((each) => {
    transport.say(phrase`${time(each)} per pixel, computed on your device`);
    onPace(each);
  });
  const runner = createRunner(store, {
    onChange() {
      panels.redraw();
      onDrawn('change');
    },
    onPull(ms, elements, first) {
      // The time of the first request also includes reading the given part, so the meter skips this request.
      if (first) onDrawn('first');
      else meter.pulled(ms, elements);
    },
    onError: (error) => loading.failed(error),
  });
  const panels = createPanels(store, byId('panels'), () => runner.pictures, heatAt);
  const transport = createTransport(byId('transport'), {
    name: '',
    pauses: true,
    pace: true,
    seed: store.now.seed,
    onRun() {
      const { phase } = store.now;
      if (phase === 'running') runner.pause();
      else if (phase === 'paused') runner.resume();
      else runner.start();
    },
    ...(steps && { onStop: () => runner.stop(), onStep: () => runner.step() }),
    onSeed: (seed) => store.set({ seed }),
  });
  store.on(['seed'], ({ seed }) => {
    transport.seed = seed;
  });

  const loading = createLoading(byId('load'), {
    acquire: async (options) => [await acquire(options)],
    onModels([model]) {
      const { source } = store.now;
      const { info } = model;
      store.set({ model, info, source: source && { ...source, pixels: quantise(source.pixels, info.levels) } });
      // With reduced motion, the run does not start automatically.
      if (reducedMotion()) runner.stop();
      else runner.start();
    },
    onLost() {
      store.set({ model: null });
      runner.leave();
    },
  });

  /** Computes the surprisal of the original digit, once for each picture and class. */
  async function scoreTruth() {
    const { model, source, label, truth } = store.now;
    if (!model || !source || truth) return;
    try {
      const { perElement } = await model.score(toImage(source.pixels), label ? { label } : {});
      if (store.now.source === source && store.now.label === label) store.set({ truth: perElement });
    } catch {
      /* if the model fails, the run reports the error */
    }
  }

  let before = store.now.phase;
  store.on(['phase'], ({ phase, rows }) => {
    transport.show(phase);
    if (phase === 'running') {
      loading.clear();
      announce(phrase`Drawing three endings.`);
    }
    if (phase === 'paused') announce(phrase`Paused.`);
    if (phase === 'ready') announce(before === 'empty' ? phrase`The model is loaded.` : phrase`Stopped.`);
    before = phase;
    if (phase !== 'done') return;
    const costs = runner.pictures.map(
      ({ nats }) =>
        phrase`${nats
          .subarray(rows * SIDE)
          .reduce((sum, n) => sum + n, 0)
          .toFixed(1)} nats`,
    );
    announce(phrase`Three endings are drawn: ${costs.join(', ')}.`);
    onDrawn('done');
    scoreTruth();
  });

  return { runner, panels, load: loading.load };
}

/** Formats the speed in pixels per second. @param {number} each milliseconds per pixel */
export const rate = (each) => phrase`${integer(1000 / each)} pixels a second`;
