// SPDX-License-Identifier: MIT
// Starts the page on which all systems for black-and-white digits complete the same half of a digit with the same noise.
// @ts-check
import {
  PIXELS,
  Playback,
  SIDE,
  acquireAll,
  acquireFirst,
  acquireWith,
  announce,
  byId,
  countOf,
  createFields,
  createLoading,
  createTake,
  createTransport,
  inked,
  keepInAddress,
  loadStrip,
  phrase,
  quantise,
  reducedMotion,
  startPage,
  toImage,
  weights,
} from '../../shell/index.js';
import {
  applySettings,
  createPad,
  createPanels,
  createStore,
  createStrip,
  initialState,
  settingsOf,
} from '../../shell/completion/index.js';
import { createKinds } from './kinds.js';
import { createReach } from './reach-figure.js';
import { createTable } from './table.js';
import { SYSTEMS } from './systems.js';
/** @import { Model } from '../../shell/library.js' */
/** @import { Ending } from '../../shell/completion/index.js' */

/** Index of the digit that is shown first. */
const FIRST = 14;
/** With this seed, five of the six models complete a digit (the oldest does not), and these digits are not all the same. */
const SEED = 8;
const SPEED = 250;
const RESTART_MS = 160;
/** Number of time measurements per model. The page shows their median. */
const ROUNDS = 7;
/** The pixel whose receptive field the table shows while no pixel is selected. */
const LOOK = 20 * SIDE + 13;

const store = createStore({ ...initialState(), seed: SEED });
/** For each model, its completion and the number of pixels of this completion that are shown. @type {Ending[]} */
const pictures = SYSTEMS.map(() => ({ values: new Uint8Array(PIXELS), nats: new Float32Array(PIXELS), filled: 0 }));
/** @type {Model[]} */
let models = [];
/** @type {ReturnType<typeof createFields>[]} */
let fields = [];

const table = createTable(byId('table'), SYSTEMS);
const panels = createPanels(
  store,
  byId('panels'),
  () => pictures,
  ({ sample, row, column }) => {
    const seen = fields[sample]?.now(row * SIDE + column)?.at(-1);
    return seen && ((i) => (seen[i] ? 0.3 : NaN));
  },
  SYSTEMS.map(({ name }) => name),
);

/** @type {ReturnType<typeof createFields>[]} */
let reachFields = [];
const reach = createReach(async (file, pixel) => reachFields[SYSTEMS.findIndex((system) => system.file === file)]?.at(pixel));

const playback = new Playback({ speed: SPEED, onPhase: (phase) => store.set({ phase }), onError: (error) => loading.failed(error) });
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function reset() {
  clearTimeout(timer);
  playback.abort();
  const { source, rows } = store.now;
  if (!source) return;
  for (const picture of pictures) {
    picture.values.set(source.pixels);
    picture.nats.fill(0);
    picture.filled = rows * SIDE;
  }
  table.clear();
  store.set({ hover: null, asked: null });
  panels.redraw();
}

/** Times per pixel in the rounds so far, in milliseconds, for each model. @type {number[][]} */
let times = SYSTEMS.map(() => []);

/**
 * Measures the time per pixel of each model, one model at a time, while the completions are shown. The time does not depend on the picture,
 * so measurements stay valid after an interruption.
 *
 * @param {ReturnType<typeof toImage>} image
 * @param {number} rows
 * @param {AbortSignal} signal
 */
async function takeTimes(image, rows, signal) {
  for (let round = times[0].length; round < ROUNDS; round++) {
    for (const [k, model] of models.entries()) {
      const half = Math.ceil((PIXELS - rows * SIDE) / 2);
      let [since, drawn] = [0, 0]; // the first half is not timed, because its time includes reading the given part
      for await (const { from, to } of model.complete(image, { rows, seed: round, samples: 1, chunkSize: half, signal })) {
        if (since) drawn += to - from;
        else since = performance.now();
      }
      times[k].push((performance.now() - since) / Math.max(1, drawn));
      const counted = [...times[k]].sort((a, b) => a - b);
      table.took(k, counted[counted.length >> 1]);
    }
  }
}

/** Lets each model draw its completion, and then shows all completions side by side. */
async function start() {
  reset();
  const { source, rows, seed, temperature } = store.now;
  if (!models.length || !source) return;
  const known = rows * SIDE;
  const image = toImage(source.pixels);
  await playback.run(async (signal) => {
    for (const [k, model] of models.entries()) {
      const { values, nats } = pictures[k];
      for await (const step of model.complete(image, { rows, seed, temperature, samples: 1, chunkSize: PIXELS, signal })) {
        values.set(step.values, step.from);
        nats.set(step.nats, step.from);
      }
      const { perElement } = await model.score(image, { signal });
      signal.throwIfAborted();
      const sum = (/** @type {Float32Array} */ all) => all.subarray(known).reduce((total, n) => total + n, 0);
      table.say(k, { nats: sum(nats), truth: sum(perElement) });
    }
    const timed = takeTimes(image, rows, signal);
    timed.catch(() => {}); // this avoids an unhandled rejection; errors are handled below, where the promise is awaited
    playback.rebase();
    for (let filled = known; filled < PIXELS; ) {
      filled += await playback.take(PIXELS - filled, signal);
      for (const picture of pictures) picture.filled = filled;
      // With reduced motion, pictures appear only when they are finished.
      if (!reducedMotion() || playback.paused || filled === PIXELS) panels.redraw();
    }
    await timed;
    announce(
      phrase`All have finished: ${SYSTEMS.map(({ name }, k) => phrase`${name} ${pictures[k].nats.reduce((a, b) => a + b, 0).toFixed(1)} nats`).join(', ')}.`,
    );
    if (!store.now.hover) look(LOOK);
    return 'done';
  });
}

/** Shows the receptive field of the selected pixel in every model. @param {number} i */
async function look(i) {
  const seen = await Promise.all(fields.map((each) => each.at(i).catch(() => undefined)));
  seen.forEach((field, k) => {
    if (field) table.saw(k, countOf(field[field.length - 1]), i);
  });
  panels.redraw();
}
store.on(['hover'], ({ hover }) => {
  if (hover) look(hover.row * SIDE + hover.column);
});

const loading = createLoading(byId('load'), {
  async acquire(options) {
    const [first, ...others] = SYSTEMS;
    await showStrip();
    return acquireWith(acquireFirst(options, first.name), () =>
      acquireAll(
        others.map(({ file }) => weights(file)),
        options,
      ),
    );
  },
  onModels(loaded) {
    const [{ info }] = loaded;
    store.set({
      model: loaded[0],
      info,
      source: store.now.source && { ...store.now.source, pixels: quantise(store.now.source.pixels, info.levels) },
    });
    models = loaded;
    times = SYSTEMS.map(() => []);
    fields = models.map(createFields);
    models.forEach((model, k) => table.describe(k, model.info));
    reachFields = models.map(createFields); // separate from `fields`, because a new request cancels the previous request
    reach.renew();
    playback.enter('ready');
    reset();
    // With reduced motion, the completions do not start automatically; only the receptive fields are shown.
    if (reducedMotion()) look(LOOK);
    else start();
  },
  onLost() {
    models = [];
    fields = [];
    store.set({ model: null });
    playback.enter('empty');
  },
});

const transport = createTransport(byId('transport'), {
  name: '',
  pauses: true,
  seed: store.now.seed,
  onRun() {
    const { phase } = store.now;
    if (phase === 'running') playback.pause();
    else if (phase === 'paused') playback.resume();
    else start();
  },
  onSeed: (seed) => store.set({ seed }),
});
store.on(['phase'], ({ phase }) => {
  transport.show(phase);
  if (phase === 'running') loading.clear();
});
store.on(['seed'], ({ seed }) => {
  transport.seed = seed;
});
store.on(['source', 'rows', 'seed'], () => {
  reset();
  if (!models.length) return;
  playback.enter('running');
  timer = setTimeout(start, RESTART_MS);
});

/** @type {ReturnType<typeof createStrip> | undefined} */
let strip;
async function showStrip() {
  if (strip) return;
  const digits = await loadStrip();
  const choice = (strip ??= createStrip(store, byId('strip'), digits, FIRST));
  createPad(store, byId('pad-side'), choice.clear);
  address.proceed();
}
const settings = () => settingsOf(store, 'all');
const address = keepInAddress('figure-endings', {
  // The visitor's drawing becomes part of a copied link, but not of the browser's history.
  settings: () => (store.now.source && store.now.source.digit >= 0 ? settings() : null),
  apply: (given) => (strip ? applySettings(store, given, strip) : false),
});
store.on(['model'], () => address.settle());
store.on(['source', 'seed'], () => {
  if (strip) address.changed();
});
store.on(['rows'], () => {
  if (strip) address.changed(true);
});

createTake(byId('take'), {
  id: 'figure-endings',
  settings,
  shots() {
    const known = store.now.rows * SIDE;
    return pictures
      .filter(({ filled }) => filled > known)
      .map(({ values, filled }, k) => ({
        name: SYSTEMS[k].name,
        file: `digit-seed-${store.now.seed}-${SYSTEMS[k].file.replace('.gguf', '')}`,
        picture: inked(values, known, filled),
        order: Array.from({ length: filled - known }, (_, n) => known + n),
      }));
  },
});
createKinds();
startPage(loading.load());
