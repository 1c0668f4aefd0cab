// SPDX-License-Identifier: MIT
// The page: makes its parts, loads the model, starts the first run.
// @ts-check
import { acquireDigits } from './start.js';
import { quantise } from '../lib/codecs/picture.js';
import { announce } from '../lib/status.js';
import '../lib/define.js';
import { createAsker, createAttentionView } from './attention.js';
import { createControls } from './controls.js';
import { loadStrip, SIDE, PIXELS, toImage } from './digits.js';
import { byId, reducedMotion } from './dom.js';
import { createLoading } from './loading.js';
import { createNumbers } from './numbers.js';
import { workOffline } from './offline.js';
import { createPad } from './pad.js';
import { createPanels } from './panels.js';
import { createRunner } from './runner.js';
import { createStore, initialState } from './state.js';
import { createStrip } from './strip.js';
/** @import { NextPixelError } from '../lib/error.js' */
/** @import { Hold } from '../lib/shared.js' */

/** The digit that the page opens with. */
const FIRST = 14;

const store = createStore(initialState());
/** @type {Hold | undefined} */
let hold;
const numbers = createNumbers(store);
const runner = createRunner(store, {
  onChange: () => { panels.redraw(); attention.redraw(); },
  onPull: numbers.pulled,
  onError(error) {
    const { code, message } = /** @type {NextPixelError} */ (error);
    // A model whose worker has gone cannot be asked again.
    const lost = code === 'trap' || code === 'closed';
    if (lost) {
      hold?.discard();
      store.set({ model: null, phase: 'empty' });
    }
    loading.fail(`The run stopped. ${message}`, lost);
  },
});
const pictures = () => runner.pictures;
const panels = createPanels(store, byId('panels'), pictures);
const attention = createAttentionView(store, byId('attention-view'), pictures);
createAsker(store, pictures);
createControls(store, runner);

/** Scores the source itself, once for each picture and class. */
async function scoreTruth() {
  const { model, source, label, truth } = store.now;
  if (!model || !source || truth) return;
  try {
    const { perElement } = await model.score(toImage(source.pixels), label ? { label } : {});
    if (store.now.source === source && store.now.label === label) store.set({ truth: perElement });
  } catch { /* the run reports what is wrong with the model */ }
}

let before = store.now.phase;
store.on(['phase'], ({ phase, rows }) => {
  if (phase === 'running') {
    loading.clear();
    announce('Drawing three endings.');
  }
  if (phase === 'paused') announce('Paused.');
  if (phase === 'ready') announce(before === 'empty' ? 'The model is loaded.' : 'Stopped.');
  before = phase;
  if (phase !== 'done') return;
  const costs = pictures().map(({ nats }) => `${nats.subarray(rows * SIDE).reduce((sum, n) => sum + n, 0).toFixed(1)} nats`);
  announce(`Three endings are drawn: ${costs.join(', ')}.`);
  if (!store.now.place) attention.suggest(rows * SIDE);
  scoreTruth();
});

/** @type {Promise<void> | undefined} */
let strip;

/** The strip of digits; a failure is not kept, so that the next try is a new one. */
function showStrip() {
  strip ??= loadStrip().then((digits) => {
    const { clear } = createStrip(store, byId('strip'), digits, FIRST);
    createPad(store, clear);
  }).catch((error) => {
    strip = undefined;
    throw error;
  });
  return strip;
}

const loading = createLoading(
  async (options) => {
    [hold] = await Promise.all([acquireDigits(options), showStrip()]);
    return hold.model;
  },
  (model) => {
    const { source } = store.now;
    const { info } = model;
    store.set({ model, info, source: source && { ...source, pixels: quantise(source.pixels, info.levels) } });
    // A picture that draws itself is motion that nobody asked for.
    if (reducedMotion()) runner.stop();
    else runner.start();
  },
);
loading.start()
  // Then the others: what the first figure waits for comes before them.
  .then(() => import('./colour.js')).then(({ createColour }) => createColour())
  // After it, for an address that leads there: what appears above would push it away.
  .then(() => import('./superres.js')).then(({ createSuperres }) => createSuperres())
  .then(workOffline);

/**
 * Fetches a part of the page when it comes near, for whoever never gets there has no use for it.
 * @param {string} id
 * @param {() => Promise<unknown>} open
 */
function whenNear(id, open) {
  const near = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    near.disconnect();
    open();
  }, { rootMargin: '500px 0px' });
  near.observe(byId(id));
}
whenNear('figure-geometry', () => import('./geometry.js').then(({ createGeometry }) => createGeometry()));
whenNear('figure-5', () => import('./classes.js').then(({ createClasses }) => createClasses()));
whenNear('figure-6', () => import('./ahead.js').then(({ createAhead }) => createAhead()));
