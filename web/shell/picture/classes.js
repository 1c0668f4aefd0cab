// SPDX-License-Identifier: MIT
// Builds a figure in which a model draws pictures, given only a class. The figure has one model, or a switch between several models.
// @ts-check
import { acquire, announce } from '../library.js';
import { createLoading } from '../model/loading.js';
import { createModelSwitch } from '../model/model-switch.js';
import { keepInAddress, wholeIn } from '../page/address.js';
import { byId } from '../page/dom.js';
import { whenNear, whileSeen } from '../page/in-sight.js';
import { phrase } from '../page/phrase.js';
import { integer, time } from '../page/words.js';
import { createMeter } from '../run/meter.js';
import { createTransport } from '../run/transport.js';
import { SAMPLES, createClassGrid } from './class-grid.js';
import { createTake } from './take.js';

/**
 * @typedef {{ weights: string, temperature: number, things: string }} ClassModel things: plural noun for the pictures, shown on the page
 */

/**
 * Builds the figure, and loads its model when the figure comes near the screen. The page may contain a switch between several models
 * (#classes-switch).
 *
 * @param {Record<string, ClassModel>} models the first model is shown first
 * @param {number} [first] the seed that is used first
 */
export function createClasses(models, first = 1) {
  const root = byId('classes-grid');
  const names = Object.keys(models);
  /**
   * Name of the model whose classes the grid shows. While another model is loading, or if it could not be loaded, this is not the model
   * that is selected in the switch.
   */
  let shown = names[0];
  let drawn = '';
  let each = NaN;
  const say = () => transport.say([drawn, each > 0 && phrase`${time(each)} per pixel, computed on your device`].filter(Boolean).join('; '));
  const meter = createMeter((ms) => {
    each = ms;
    say();
  });

  const grid = createClassGrid(root, {
    onPull: meter.pulled,
    onProgress(done, of) {
      drawn = phrase`${integer(SAMPLES * done)} of ${integer(SAMPLES * of)} drawn`;
      say();
    },
    onPhase(phase) {
      transport.show(phase);
      if (phase === 'running') {
        loading.clear();
        announce(phrase`Drawing ${models[shown].things}, ${SAMPLES} of each class.`);
      }
      if (phase === 'done') announce(phrase`All ${models[shown].things} are drawn.`);
    },
    onError: (error) => loading.failed(error),
  });
  const start = () => grid.start(transport.seed);
  const transport = createTransport(byId('classes-transport'), {
    name: 'classes',
    seed: first,
    pace: true,
    onRun: start,
    onSeed() {
      address.changed();
      start();
    },
    onStop() {
      grid.stop();
      announce(phrase`Stopped.`);
    },
  });

  const sight = whileSeen(root, {
    start() {
      if (grid.phase !== 'ready') return false;
      grid.resume(transport.seed);
      return true;
    },
    stop() {
      if (grid.phase !== 'running') return false;
      grid.stop();
      return true;
    },
  });
  transport.onPress(sight.decide);
  byId('classes-dice').addEventListener('click', sight.decide);

  const fieldset = document.querySelector('#classes-switch');
  const choices = fieldset instanceof HTMLFieldSetElement ? createModelSwitch(fieldset, change) : null;
  const chosen = () => choices?.value ?? names[0];
  function change() {
    address.changed();
    sight.renew();
    grid.use(null); // stops the run of the previous model
    return loading.load();
  }
  const loading = createLoading(byId('classes-load'), {
    acquire(options) {
      const get = async () => [await acquire(models[chosen()].weights, { ...options, workers: 'auto' })];
      return choices ? choices.during(get) : get();
    },
    onModels([model]) {
      shown = chosen();
      const { temperature, things } = models[shown];
      byId('classes-temperature').textContent = String(temperature);
      each = NaN;
      meter.reset();
      drawn = '';
      root.dataset.model = shown;
      grid.use(model, temperature);
      announce(phrase`The model of the ${things} is loaded.`);
      sight.proceed();
    },
    onLost: () => grid.use(null),
  });

  const settings = () => ({ model: chosen(), seed: transport.seed, temperature: models[chosen()].temperature });
  createTake(byId('classes-take'), { id: 'figure-classes', shots: () => grid.shots(`${shown}-seed-${transport.seed}`), settings });
  let opened = false;
  function open() {
    if (opened) return;
    opened = true;
    loading.load();
  }
  const address = keepInAddress('figure-classes', {
    settings,
    apply(given) {
      transport.seed = wholeIn(given, 'seed', 0, 1e9 - 1, transport.seed);
      const model = given.get('model') ?? '';
      if (choices && names.includes(model) && choices.value !== model) choices.value = model;
      if (!opened) return;
      if (chosen() !== shown) change();
      else start();
    },
  });
  whenNear(root, open);
}
