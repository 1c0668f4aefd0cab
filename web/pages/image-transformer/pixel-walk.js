// SPDX-License-Identifier: MIT
// Draws the figure that explains, step by step, how the model predicts the shade of one pixel. The steps lead from the pixels before it,
// through one layer, to the probabilities. All attention maps and numbers come from the model.
// @ts-check
import {
  SIDE,
  asked as other,
  byId,
  inSight,
  make,
  onTheme,
  ownName,
  paint,
  paintSmall,
  palette,
  percent,
  phrase,
  toImage,
  weights,
} from '../../shell/index.js';
import { fileBytes } from '../../shell/model/gguf.js';
import { showNumbers } from '../../shell/picture/numbers-strip.js';
import { createWalk, stepsOf } from '../../shell/page/walk.js';
import { heatOf, windowOf } from './heads.js';
import { passOf, readLayer } from './one-layer.js';
/** @import { AttentionMap, Model } from '../../shell/index.js' */
/** @import { Ending, Pixel, State, Store } from '../../shell/completion/index.js' */
/** @import { WalkStep } from '../../shell/page/walk.js' */
/** @import { Layer, Pass } from './one-layer.js' */

/**
 * The steps switch to another pixel only after the pointer has rested on that pixel for this many milliseconds, because a moving pointer
 * passes over many pixels.
 */
const REST_MS = 300;

/**
 * @typedef {Object} Walked
 * @property {Pixel} pixel
 * @property {Ending} picture  the picture at the start of the walk
 * @property {AttentionMap[]} attention  the model's attention maps of all layers
 * @property {Pass} pass
 * @property {number} head     the head with the sharpest attention in the first layer
 * @property {number} best     the index of the visible position to which this head attends most
 * @property {number[]} odds   probability of each shade, once the model has returned it
 */

/** Returns the index of the largest number. @param {ArrayLike<number>} numbers @param {number} [from] */
const largest = (numbers, from = 0) => Array.from(numbers).reduce((best, x, i, all) => (i >= from && x > all[best] ? i : best), from);

/** Returns the heads of one layer. @param {AttentionMap[]} maps @param {number} layer */
const layerOf = (maps, layer) => maps.filter((map) => map.layer === layer);

/**
 * @param {Store<State>} store
 * @param {() => Ending[]} pictures
 */
export function createPixelWalk(store, pictures) {
  const figure = byId('figure-walk');
  /** @type {HTMLCanvasElement} */
  const canvas = byId('walk-picture');
  const [maps, layers, bars] = [byId('walk-maps'), byId('walk-layers'), byId('walk-odds')];
  const parts = /** @type {HTMLElement[]} */ ([...figure.querySelectorAll('[data-steps]')]);
  /** @type {Promise<Layer> | undefined} */
  let file;
  /** @type {Walked | undefined} */
  let walked;
  let stopper = new AbortController();
  const walk = createWalk({ list: byId('walk'), tools: byId('walk-tools'), figure }, show);
  walk.use(stepsOf(byId('walk')));

  /** Shows the part of the picture that is visible at a step. @param {WalkStep} step */
  function show({ id }) {
    for (const part of parts) part.classList.toggle('lit', Boolean(part.dataset.steps?.split(' ').includes(id)));
    if (!walked || !store.now.info) return;
    const { pixel, picture, attention, pass, head, best } = walked;
    const at = pixel.row * SIDE + pixel.column;
    const { memory, own } = windowOf(attention[0], store.now.info.queryBlock);
    const first = layerOf(attention, 0);
    const [low, high] = [Math.min(...pass.scores[head]), pass.scores[head][best]];
    const scored = new Map(Array.from(attention[0].keys, (key, k) => [key, (pass.scores[head][k] - low) / (high - low || 1)]));
    /** @type {Record<string, (i: number) => number>} */
    const heats = {
      'step-compare': (i) => scored.get(i) ?? NaN,
      'step-softmax': heatOf([first[head]]).share,
      'step-heads': heatOf(first).share,
      'step-layers': heatOf(attention).share,
    };
    paint(canvas, {
      values: picture.values,
      filled: id === 'step-drawn' ? at + 1 : at,
      known: store.now.rows * SIDE,
      heat: heats[id],
      cursor: id === 'step-shade' ? at - 1 : at,
      ranges: id === 'step-seen' || id === 'step-query' || heats[id] ? [memory, own] : [],
    });
    const level = Math.round((picture.values[at] * (store.now.info.levels - 1)) / 255);
    for (const [i, bar] of [...bars.children].entries()) bar.classList.toggle('drawn', id === 'step-drawn' && i === level);
  }

  /** @param {number[]} odds the probabilities known so far */
  function showOdds(odds) {
    for (const [i, bar] of /** @type {HTMLElement[]} */ ([...bars.children]).entries())
      bar.style.setProperty('--p', `${100 * (odds[i] ?? 0)}%`);
  }

  /** Draws the parts of the figure that do not depend on the step. */
  function fill() {
    if (!walked || !store.now.info) return;
    const { pixel, picture, attention, pass, head, best, odds } = walked;
    const { heads, blocks, levels } = store.now.info;
    const at = pixel.row * SIDE + pixel.column;
    const length = pass.query.length / heads;
    const own = (/** @type {Float32Array} */ all) => all.subarray(head * length, (head + 1) * length);
    showNumbers(byId('walk-shade'), pass.shade, 64);
    showNumbers(byId('walk-input'), pass.input, 64);
    showNumbers(byId('walk-query'), own(pass.query), length);
    showNumbers(byId('walk-key'), own(pass.keys[best]), length);
    showNumbers(byId('walk-values'), pass.values, 64);
    showNumbers(byId('walk-attended'), pass.attended, 64);
    showNumbers(byId('walk-inner'), pass.inner, 64);
    showNumbers(byId('walk-output'), pass.output, 64);
    const { paper, wash, heat, accent } = palette();
    /** @param {HTMLElement} root @param {{ share: (i: number) => number }[]} all */
    const small = (root, all) => {
      while (root.children.length < all.length) root.append(make('canvas', { 'aria-hidden': 'true' }));
      all.forEach(({ share }, k) =>
        paintSmall(/** @type {HTMLCanvasElement} */ (root.children[k]), (i) => {
          const t = share(i);
          return i === at ? accent : Number.isNaN(t) ? (i < at ? wash : paper) : heat(t);
        }),
      );
    };
    small(
      maps,
      layerOf(attention, 0).map((map) => heatOf([map])),
    );
    small(
      layers,
      Array.from({ length: blocks }, (_, b) => heatOf(layerOf(attention, b))),
    );
    while (bars.children.length < levels) bars.append(make('span', { class: 'shade-bar' }));
    showOdds(odds);
    const likely = largest(odds);
    const level = Math.round((picture.values[at] * (levels - 1)) / 255);
    const looked = attention[0].keys[best];
    const whole = odds.length === levels;
    if (whole) bars.setAttribute('aria-label', phrase`The ${levels} shades: ${likely} has ${percent(odds[likely])}.`);
    walk.tell({
      row: String(pixel.row + 1),
      column: String(pixel.column + 1),
      before: String(at),
      seen: String(attention[0].keys.filter((key) => key >= 0).length),
      shade: at > 0 ? String(Math.round((picture.values[at - 1] * (levels - 1)) / 255)) : phrase`none`,
      top: String(levels - 1),
      head: String(head + 1),
      score: pass.scores[head][best].toFixed(2),
      'best-row': String(Math.floor(looked / SIDE) + 1),
      'best-column': String((looked % SIDE) + 1),
      share: percent(layerOf(attention, 0)[head].weights[best]),
      open: String(pass.inner.filter((x) => x > 0).length),
      inner: String(pass.inner.length),
      levels: String(levels),
      likely: whole ? String(likely) : '…',
      probability: whole ? percent(odds[likely]) : '…',
      written: String(level),
      chance: whole ? percent(odds[level]) : '…',
      nats: whole ? (-Math.log(odds[level])).toFixed(2) : '…',
    });
    show(walk.step);
  }

  /** Gets all data for the walk from the model. */
  async function ask() {
    const { model, asked, label, info } = store.now;
    if (!model || !info || !asked || !sight.seen || (walked?.pixel === asked && walked.odds.length > 0)) return;
    stopper.abort();
    const { signal } = (stopper = new AbortController());
    const ending = pictures()[asked.sample];
    const picture = { ...ending, values: ending.values.slice() };
    const at = asked.row * SIDE + asked.column;
    const told = label ? { label, signal } : { signal };
    try {
      const attention = await model.attention(toImage(picture.values), { row: asked.row, column: asked.column, ...told });
      file ??= fileBytes(weights('digits.gguf')).then(readLayer);
      const layer = await file;
      signal.throwIfAborted();
      const shades = Array.from(picture.values, (value) => Math.round((value * (layer.levels - 1)) / 255));
      const pass = passOf(layer, { shades, elements: attention[0].keys, label });
      const from = attention[0].keys[0] < 0 && attention[0].keys.length > 1 ? 1 : 0; // skips the start symbol
      const tops = pass.shares.map((shares) => largest(shares, from));
      const head = largest(pass.shares.map((shares, h) => shares[tops[h]]));
      walked = { pixel: asked, picture, attention, pass, head, best: tops[head], odds: [] };
      fill();
      await askOdds(model, walked, at, info.levels, told);
    } catch {
      file = signal.aborted ? file : undefined; // the first figure reports errors of the model
    }
  }

  /**
   * Computes the probability of each shade. model.score() returns only the cost of a given picture, so it is called once for each possible
   * shade of the pixel.
   * @param {Model} model @param {Walked} of @param {number} at
   * @param {number} levels @param {{ label?: string, signal: AbortSignal }} options
   */
  async function askOdds(model, of, at, levels, options) {
    const values = of.picture.values.slice();
    /** @type {number[]} */
    const odds = [];
    for (let shade = 0; shade < levels; shade++) {
      values[at] = Math.round((255 * shade) / (levels - 1));
      odds.push(Math.exp(-(await model.score(toImage(values), options)).perElement[at]));
      if (walked !== of) return;
      showOdds(odds);
    }
    of.odds = odds;
    fill();
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, REST_MS);
  };
  const sight = inSight(figure, {
    onSeen: soon,
    onAway() {
      stopper.abort();
    },
  });
  store.on(['asked', 'model', 'label'], soon);
  store.on(['model'], ({ model }) => {
    if (model) byId('walk-section').hidden = figure.hidden = Boolean(other || ownName());
  }); // hides the figure if the visitor opened a model, because the figure's text describes the shipped model
  new ResizeObserver(() => show(walk.step)).observe(canvas);
  onTheme(fill);
}
