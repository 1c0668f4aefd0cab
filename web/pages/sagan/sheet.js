// SPDX-License-Identifier: MIT
// Draws the sheet of pictures, with one latent vector per column and one class per row. Visitors can choose a picture from the sheet.
// @ts-check
import { acquireFirst, announce, byId, createLoading, createTransport, make, phrase, time } from '../../shell/index.js';
import { made, show, sumOf } from './draw.js';
/** @import { Model } from '../../shell/index.js' */
/** @import { LatentStep } from './draw.js' */

const COLUMNS = 16;
/** Seed of the pictures that the page shows first. */
const SEED = 1;
/** Classes of the page's own model. Their names are translated. */
const CLASSES = ['face', 'person', 'animal', 'hand', 'heart', 'clock', 'fruit', 'flag'];

/**
 * @typedef {{ model: Model, chosen: LatentStep, row: LatentStep[], corners: LatentStep[] }} Chosen  row: all pictures of the chosen
 *   picture's class; corners: four pictures of this class that differ strongly
 */

/** Returns the distance between two pictures. @param {LatentStep} a @param {LatentStep} b */
const apart = (a, b) => a.values.reduce((sum, x, i) => sum + (x - b.values[i]) ** 2, 0);

/**
 * Returns a picture and three others from its row. Each of the three other pictures is the one that is farthest from the pictures chosen
 * before it.
 *
 * @param {LatentStep} first
 * @param {LatentStep[]} row
 */
function different(first, row) {
  const found = [first];
  while (found.length < 4) {
    const near = row.map((step) => Math.min(...found.map((other) => apart(step, other))));
    found.push(row[near.indexOf(Math.max(...near))]);
  }
  return found;
}

/** @param {string} name name of the class */
const named = (name) => (CLASSES.includes(name) ? phrase(name) : name);

export function createSheet() {
  const root = byId('sheet');
  /** @type {Model | undefined} */
  let model;
  /** @type {{ button: HTMLButtonElement, canvas: HTMLCanvasElement, step?: LatentStep }[][]} */
  let tiles = [];
  let chosen = { row: 0, column: 0 };
  /** @type {((news: Chosen) => void)[]} */
  const listeners = [];
  /** @type {AbortController | undefined} */
  let stopper;

  const transport = createTransport(byId('transport'), {
    name: '',
    onRun: () => draw(),
    onStop: () => stopper?.abort(),
    seed: SEED,
    onSeed: () => draw(),
    pace: true,
  });
  const loading = createLoading(byId('load'), {
    acquire: async (options) => [await acquireFirst(options)],
    onModels([loaded]) {
      model = loaded;
      build(model);
      draw();
    },
    onLost() {
      model = undefined;
      transport.show('empty');
    },
  });

  /** @param {Model} of */
  function build({ info: { classes, width, height } }) {
    tiles = classes.map((name, row) =>
      Array.from({ length: COLUMNS }, (_, column) => {
        const canvas = make('canvas', { class: 'pixels', width: String(width), height: String(height) });
        const button = make(
          'button',
          { type: 'button', class: 'tile', 'aria-pressed': 'false', 'aria-label': phrase`${named(name)}, latent ${column + 1}` },
          canvas,
        );
        button.addEventListener('click', () => choose(row, column));
        return { button, canvas };
      }),
    );
    root.replaceChildren(
      ...classes
        .map(named)
        .map((name, row) =>
          make(
            'div',
            { class: 'sheet-row', role: 'group', 'aria-label': name },
            make('p', { class: 'sheet-name' }, name),
            make('div', { class: 'sheet-tiles' }, ...tiles[row].map(({ button }) => button)),
          ),
        ),
    );
  }
  root.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    const row = tiles.findIndex((all) => all.some(({ button }) => button === document.activeElement));
    const column = tiles[row]?.findIndex(({ button }) => button === document.activeElement) ?? -1;
    const next = tiles[row + step[0]]?.[column + step[1]];
    if (!next) return;
    event.preventDefault();
    next.button.focus();
  });

  async function draw() {
    stopper?.abort();
    if (!model) return;
    const { signal } = (stopper = new AbortController());
    loading.clear();
    transport.show('running');
    const began = performance.now();
    const seed = transport.seed;
    let done = 0;
    const [{ length: count }] = [tiles];
    try {
      /** @type {Float32Array[]} */
      const latents = [];
      for (let row = 0; row < count; row++) {
        const of = row === 0 ? { seed } : { latent: latents };
        for await (const step of made(model, { ...of, samples: COLUMNS, label: row, signal })) {
          if (row === 0) latents.push(step.latent);
          const tile = tiles[row][step.sample];
          tile.step = step;
          show(tile.canvas, step.values);
          done++;
          if (row === chosen.row && step.sample === COLUMNS - 1) choose(chosen.row, chosen.column);
        }
      }
      const ms = performance.now() - began;
      transport.say(phrase`${done} pictures in ${time(ms)}, ${time(ms / done)} each`);
      byId('result').textContent = tiles.map((row) => row.map(({ step }) => step && sumOf(step.values)).join(' ')).join('\n');
      transport.show('done');
    } catch (error) {
      if (signal.aborted) {
        if (stopper.signal === signal) {
          transport.show('ready');
          transport.say(phrase`${done} pictures, stopped`);
        }
        return;
      }
      transport.show('ready');
      loading.failed(error);
    }
  }

  /** @param {number} row @param {number} column */
  function choose(row, column) {
    chosen = { row, column };
    for (const [r, all] of tiles.entries())
      for (const [c, { button }] of all.entries()) button.setAttribute('aria-pressed', String(r === row && c === column));
    tell();
  }

  function tell() {
    const { row, column } = chosen;
    const steps = (tiles[row] ?? []).flatMap(({ step }) => step ?? []);
    if (!model || steps.length < COLUMNS) return;
    announce(phrase`Chosen: ${named(model.info.classes[row])}`);
    const news = { model, chosen: steps[column], row: steps, corners: different(steps[column], steps) };
    for (const listener of listeners) listener(news);
  }

  const loaded = loading.load();
  return {
    loaded,
    /**
     * Calls the listener with the current picture, if there is one, and with every later picture.
     * @param {(news: Chosen) => void} listener
     */
    onChosen(listener) {
      listeners.push(listener);
      tell();
    },
    /** Reports that a run in a figure has failed. @param {unknown} error */
    failed: (error) => loading.failed(error),
  };
}
