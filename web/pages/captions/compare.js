// SPDX-License-Identifier: MIT
// Compares soft and hard attention for the same words about the same scene. For one word, shows the weights of soft attention, one location
// that hard attention drew, and the mean of several such draws.
// @ts-check
import { acquire, byId, createLoading, make, phrase, weights as addressOf } from '../../shell/index.js';
import { imageFor, paint } from './tell.js';
/** @import { CaptionStep } from '../../lib/index.js' */
/** @import { Model } from '../../shell/index.js' */

/** Maximum number of draws. The slider has the same maximum. */
const DRAWS = 64;

/** @typedef {import('./tell.js').Grid} Grid */

/** Describes a location in words. @param {number} place @param {Grid} grid */
const named = (place, { columns }) => phrase`row ${Math.floor(place / columns) + 1}, column ${(place % columns) + 1}`;

/**
 * Returns the distance between two maps, 0 to 1. The distance is half the sum of the absolute differences between the weights.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 */
const apart = (a, b) => Array.from(a).reduce((sum, x, i) => sum + Math.abs(x - b[i]) / 2, 0);

/** Returns the word whose attention is the sharpest. @param {{ soft: Float32Array }[]} looks */
function sharpest(looks) {
  const most = looks.map(({ soft }) => Math.max(...soft));
  return most.indexOf(Math.max(...most));
}

/** @param {ReturnType<typeof import('./tell.js').createTell>} tell */
export function createCompare(tell) {
  /** @type {HTMLInputElement} */
  const draws = byId('draws');
  /** @type {HTMLInputElement} */
  const seed = byId('compare-seed');
  const words = byId('compare-words');
  /** @type {Model | undefined} */
  let hard;
  /**
   * For each word: the attention weights of both networks, and the locations that hard attention drew.
   * @type {{ word: string, soft: Float32Array, hard: Float32Array, places: number[] }[]}
   */
  let looks = [];
  /** Grid of the locations from which hard attention draws. @type {Grid} */
  let grid = tell.grid;
  let chosen = -1;
  let stopper = new AbortController();

  const loading = createLoading(byId('compare-load'), {
    acquire: async (options) => [await acquire(addressOf('captions-hard.gguf'), options)],
    onModels([loaded]) {
      hard = loaded;
      void look();
    },
    onLost() {
      hard = undefined;
    },
  });

  async function look() {
    stopper.abort();
    if (!hard) return;
    const { signal } = (stopper = new AbortController());
    const { steps, picture } = tell;
    try {
      const text = steps.map(({ word }) => word).join(' ');
      /** @type {CaptionStep[][]} */
      const drawn = steps.map(() => []);
      const counts = Array.from({ length: DRAWS }, () => 0);
      if (text) {
        const run = hard.caption(imageFor(hard, picture), {
          forced: text,
          samples: DRAWS,
          temperature: 1,
          seed: Number(seed.value) || 0,
          maps: true,
          signal,
        });
        grid = run.grid;
        for await (const step of run) drawn[counts[step.sample]++].push(step);
      }
      signal.throwIfAborted();
      looks = steps.map(({ word, maps }, i) => ({
        word,
        soft: maps?.[0].weights ?? new Float32Array(tell.grid.rows * tell.grid.columns),
        hard: drawn[i][0]?.maps?.[0].weights ?? new Float32Array(grid.rows * grid.columns),
        places: drawn[i].map((step) => step.place ?? 0),
      }));
      if (!looks[chosen]) chosen = sharpest(looks);
      const same = words.children.length === looks.length && looks.every(({ word }, i) => words.children[i].textContent === word);
      // If the caption has not changed, the visitor's selection is kept.
      if (!same)
        words.replaceChildren(
          ...looks.map(({ word }, i) => {
            const input = make('input', { type: 'radio', name: 'compare-word', value: String(i), ...(i === chosen && { checked: '' }) });
            input.addEventListener('change', () => {
              chosen = i;
              show();
            });
            return make('label', {}, input, make('span', { lang: 'en' }, word));
          }),
        );
      show();
    } catch (error) {
      if (!signal.aborted) loading.failed(error);
    }
  }

  function show() {
    const now = looks[chosen];
    if (!now) return;
    const n = Number(draws.value);
    const mean = new Float32Array(now.hard.length);
    for (const place of now.places.slice(0, n)) mean[place] += 1 / n;
    const one = new Float32Array(now.hard.length);
    one[now.places[0]] = 1;
    for (const [id, map, places] of /** @type {[string, Float32Array, Grid][]} */ ([
      ['soft', now.soft, tell.grid],
      ['hard', one, grid],
      ['mean', mean, grid],
    ]))
      void paint(byId(`compare-${id}`), tell.picture, places, map);
    byId('compare-count').textContent = n === 1 ? phrase`1 draw` : phrase`${n} draws`;
    byId('compare-soft-said').textContent =
      phrase`The largest weight is at ${named(now.soft.indexOf(Math.max(...now.soft)), tell.grid)}: ${Math.round(100 * Math.max(...now.soft))}% of the light.`;
    byId('compare-hard-said').textContent = phrase`Drawn: ${named(now.places[0], grid)}.`;
    byId('compare-mean-said').textContent =
      phrase`${Math.round(100 * apart(mean, now.hard))}% of the light differs from the attention weights, from which the locations were drawn.`;
  }

  draws.addEventListener('input', show);
  seed.addEventListener('change', () => void look());
  tell.onTold(() => void look());
  void loading.load();
}
