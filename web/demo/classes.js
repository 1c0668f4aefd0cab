// SPDX-License-Identifier: MIT
// The section of classes: pictures from nothing but a class, by the model of digits, of emoji or of photographs.
// @ts-check
import { acquire } from '../lib/shared.js';
import { announce } from '../lib/status.js';
import { SAMPLES, createClassGrid } from './classes-grid.js';
import { byId, perFrame, reducedMotion } from './dom.js';
import { inSight } from './in-sight.js';
import { createLoading } from './loading.js';
import { createModelSwitch } from './model-switch.js';
import { createSeedField } from './seed-field.js';
import { integer, time } from './words.js';
/** @import { NextPixelError } from '../lib/error.js' */
/** @import { Hold } from '../lib/shared.js' */

/** @param {string} file */
const weights = (file) => new URL(`../../weights/${file}`, import.meta.url).href;
/**
 * Temperatures chosen by looking at samples of 0.6 to 1: at 0.9 the digits are cleaner than at 1 and more varied than below;
 * the emoji model falls silent below 1, for white is always the safest bet at the edge of a picture; photographs, of 0.8 to 1,
 * sank into the dark below 1, halfway through the training.
 */
const MODELS = {
  digits: { url: weights('digits.gguf'), temperature: 0.9, things: 'digits' },
  emoji: { url: weights('emoji.gguf'), temperature: 1, things: 'emoji' },
  photos: { url: weights('cifar10.gguf'), temperature: 1, things: 'photographs' },
};
/** Forget older pulls at this rate, as the first figure does. */
const KEEP = 0.98;

/** Makes the figure and loads the first model. */
export async function createClasses() {
  /** @type {HTMLButtonElement} */
  const play = byId('classes-run');
  /** @type {HTMLButtonElement} */
  const stop = byId('classes-stop');
  const root = byId('classes-grid');
  /** @typedef {keyof typeof MODELS} Name */
  const chosen = () => /** @type {Name} */ (choices.value);
  /** What the grid shows: not what the switch says while a model is loading, or if it cannot be. */
  let shown = /** @type {Name} */ ('digits');
  /** @type {Hold | undefined} */
  let hold;
  let ms = 0;
  let pixels = 0;
  let drawn = '';
  const show = perFrame(() => {
    byId('classes-pace').textContent = [drawn, pixels > 0 && `${time(ms / pixels)} a pixel, computed here`].filter(Boolean).join('; ');
  });

  const grid = createClassGrid(root, {
    onPull(took, count) {
      ms = ms * KEEP + took;
      pixels = pixels * KEEP + count;
      show();
    },
    onProgress(done, of) {
      drawn = `${integer(SAMPLES * done)} of ${integer(SAMPLES * of)} drawn`;
      show();
    },
    onPhase(phase) {
      play.disabled = phase === 'empty';
      stop.disabled = phase !== 'running';
      byId('classes-run-text').textContent = phase === 'running' ? 'Start over' : phase === 'done' ? 'Play again' : 'Play';
      if (phase === 'running') {
        loading.clear();
        announce(`Drawing ${MODELS[shown].things}, ${SAMPLES} of each class.`);
      }
      if (phase === 'done') announce(`All ${MODELS[shown].things} are drawn.`);
    },
    onError(error) {
      const { code, message } = /** @type {NextPixelError} */ (error);
      // A model whose worker has gone cannot be asked again.
      const lost = code === 'trap' || code === 'closed';
      if (lost) {
        hold?.discard();
        hold = undefined;
        grid.use(null);
      }
      loading.fail(`The run stopped. ${message}`, lost);
    },
  });
  const seed = createSeedField(byId('classes-seed'), byId('classes-dice'), () => grid.start(seed.value));

  // Only what can be seen is drawn. What was cut short goes on when it is back.
  let cut = true; // the first run begins when the figure is seen
  const proceed = () => {
    // A picture that draws itself is motion that nobody asked for.
    if (!cut || !sight.seen || grid.phase !== 'ready' || reducedMotion()) return;
    cut = false;
    grid.resume(seed.value);
  };
  const sight = inSight(root, {
    onSeen: proceed,
    onAway() {
      if (grid.phase !== 'running') return;
      grid.stop();
      cut = true;
    },
  });

  const choices = createModelSwitch(byId('classes-switch'), () => {
    cut = true;
    grid.use(null); // the run of the other one stops
    return loading.start();
  });
  const loading = createLoading(
    (options) => choices.during(async () => {
      const held = await acquire(MODELS[chosen()].url, { ...options, workers: 'auto' });
      hold?.release();
      hold = held;
      return held.model;
    }),
    (model) => {
      shown = chosen();
      const { temperature, things } = MODELS[shown];
      byId('classes-temperature').textContent = String(temperature);
      ms = pixels = 0;
      drawn = '';
      root.dataset.model = shown;
      grid.use(model, temperature);
      announce(`The model of the ${things} is loaded.`);
      proceed();
    },
    'classes-load',
  );

  play.addEventListener('click', () => {
    cut = false;
    grid.start(seed.value);
  });
  byId('classes-dice').addEventListener('click', () => { cut = false; });
  stop.addEventListener('click', () => {
    cut = false;
    grid.stop();
    announce('Stopped.');
    play.focus(); // the button that had the focus is disabled now
  });

  loading.start();
  // What has no weights here is not there to be chosen.
  for (const name of /** @type {const} */ (['emoji', 'photos'])) {
    const { ok } = await fetch(MODELS[name].url, { method: 'HEAD' }).catch(() => ({ ok: false }));
    for (const element of document.querySelectorAll(`:is(#classes, #figure-5) .with-${name}`)) element.toggleAttribute('hidden', !ok);
  }
}
