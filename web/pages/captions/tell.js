// SPDX-License-Identifier: MIT
// Draws the first figure: the scene and its caption. For each word, the attention is shown as light on the scene.
// @ts-check
import {
  acquireFirst,
  acquireWith,
  announce,
  byId,
  createLoading,
  createTransport,
  make,
  part,
  percent,
  phrase,
  reducedMotion,
  time,
} from '../../shell/index.js';
import { SIDE } from './scene.js';
/** @import { CaptionStep } from '../../lib/index.js' */
/** @import { Model } from '../../shell/index.js' */

/** Loads the part of the library that handles captions. */
const captions = () => part(() => import('../../lib/kinds/caption/captions.js'));

/**
 * If the probability of a caption is below this value, the page says that the model is not sure. Of the captions for the validation scenes,
 * one in nine has a probability below this value.
 */
const SURE = 0.6;
/**
 * WHITE: at least this fraction of every training scene is white. PAPER: a pixel is white if each of its channels has at least this value.
 */
const WHITE = 0.5,
  PAPER = 245;
/** Each word is highlighted for this many milliseconds. */
const WORD_MS = 480;

/** Numbers of rows and columns in the grid of locations that a model attends to. @typedef {{ rows: number, columns: number }} Grid */

/**
 * Paints a scene, in which each location is lit according to its attention weight.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8Array} picture
 * @param {Grid} grid
 * @param {ArrayLike<number>} [weights]
 */
export async function paint(canvas, picture, grid, weights) {
  const { litPixels } = await captions();
  const rgba = litPixels({ picture, width: SIDE, height: SIDE, grid, weights });
  canvas.getContext('2d')?.putImageData(new ImageData(rgba, SIDE, SIDE), 0, 0);
}

/**
 * Converts a scene to a model's input. A model that the visitor opened may need a different size; in this case the result is a canvas,
 * which the library scales.
 * @param {Model} model
 * @param {Uint8Array} picture
 */
export function imageFor({ info }, picture) {
  if ('width' in info && info.width === SIDE && info.height === SIDE) return { data: picture, width: SIDE, height: SIDE };
  const canvas = Object.assign(document.createElement('canvas'), { width: SIDE, height: SIDE });
  const rgba = Uint8ClampedArray.from({ length: 4 * SIDE * SIDE }, (_, i) => (i % 4 < 3 ? picture[3 * (i >> 2) + (i % 4)] : 255));
  canvas.getContext('2d')?.putImageData(new ImageData(rgba, SIDE, SIDE), 0, 0);
  return canvas;
}

/** @param {number} ms @param {AbortSignal} signal */
const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve(undefined);
      },
      { once: true },
    );
  });

/** Returns whether a picture clearly differs from the training scenes, which show objects on white. @param {Uint8Array} picture */
function isUnlike(picture) {
  let white = 0;
  for (let i = 0; i < picture.length; i += 3) white += Number(Math.min(picture[i], picture[i + 1], picture[i + 2]) >= PAPER);
  return white < (WHITE * picture.length) / 3;
}

/** Returns the page's comment on how certain the model is of a caption. @param {number} confidence @param {Uint8Array} picture */
function doubtOf(confidence, picture) {
  const share = percent(confidence);
  if (isUnlike(picture))
    return phrase`Not sure, because this differs from the training scenes, which show a few objects on white. Probability of the whole caption: ${share}`;
  return confidence < SURE
    ? phrase`Not sure. Probability of the whole caption: ${share}`
    : phrase`Probability of the whole caption: ${share}`;
}

/** @param {ReturnType<typeof import('./scene.js').createScene>} scene */
export function createTell(scene) {
  /** @type {HTMLCanvasElement} */
  const canvas = byId('scene-canvas');
  const line = byId('caption');
  /** @type {Model | undefined} */
  let model;
  let picture = new Uint8Array();
  /** Grid of the locations to which the current model attends. @type {Grid} */
  let grid = { rows: 8, columns: 8 };
  /** @type {CaptionStep[]} */
  let steps = [];
  let stopper = new AbortController();
  let [busy, stale] = [false, false];
  /** @type {(() => void)[]} */
  const listeners = [];

  const transport = createTransport(byId('transport'), { name: '', onRun: () => void tell(true), verb: phrase`Tell it`, pace: true });
  const loading = createLoading(byId('load'), {
    acquire: (options) => acquireWith(acquireFirst(options), Promise.all([scene.ready, captions()])),
    onModels([loaded]) {
      model = loaded;
      transport.show('ready');
      void tell(true);
    },
    onLost() {
      model = undefined;
      transport.show('empty');
    },
  });

  /** @param {number} count number of words to show @param {number} [now] index of the highlighted word */
  function show(count, now) {
    line.replaceChildren(
      ...steps.slice(0, count).map(({ word, nats }, i) => {
        const button = make(
          'button',
          { type: 'button', class: i === now ? 'word lit' : 'word' },
          make('span', { lang: 'en' }, word),
          make('small', {}, percent(Math.exp(-nats))),
        );
        for (const on of ['pointerenter', 'focus']) button.addEventListener(on, () => light(i));
        for (const off of ['pointerleave', 'blur']) button.addEventListener(off, () => light());
        return button;
      }),
    );
    light(now);
  }

  /** @param {number} [word] */
  function light(word) {
    void paint(canvas, picture, grid, word === undefined ? undefined : steps[word]?.maps?.[0].weights);
    [...line.children].forEach((button, i) => button.classList.toggle('lit', i === word));
  }

  /** @param {boolean} slowly whether to show the words slowly enough to watch */
  async function tell(slowly) {
    stopper.abort();
    if (!model) return;
    stale = busy;
    if (busy) return;
    busy = true;
    const { signal } = (stopper = new AbortController());
    loading.clear();
    picture = scene.pixels();
    try {
      transport.show('running');
      if (scene.empty) {
        steps = [];
        show(0);
        line.textContent = phrase`Put something on the scene.`;
        transport.say('');
        byId('result').textContent = byId('doubt').textContent = '';
      } else {
        const began = performance.now();
        /** @type {CaptionStep[]} */
        const found = [];
        const run = model.caption(imageFor(model, picture), { maps: true });
        for await (const step of run) found.push(step);
        grid = run.grid;
        const ms = performance.now() - began;
        steps = found;
        byId('doubt').textContent = doubtOf(run.confidence ?? 0, picture);
        transport.say(phrase`${steps.length} words in ${time(ms)}`);
        busy = false;
        if (!stale && slowly && !reducedMotion() && canvas.checkVisibility()) {
          for (let i = 0; i < steps.length && !signal.aborted; i++) {
            show(i + 1, i);
            await pause(WORD_MS, signal);
          }
        }
        if (signal.aborted) return;
        show(steps.length);
        // The caption is the same in every browser. The nats and the attention weights differ slightly between browsers, because browsers
        // scale the objects differently.
        byId('result').textContent = steps.map(({ word }) => word).join(' ');
      }
      const text = steps.map(({ word }) => word).join(' ');
      canvas.setAttribute('aria-label', text ? phrase`The scene, described as: ${text}` : phrase`An empty scene`);
      if (slowly) announce(`${text}. ${byId('doubt').textContent}`);
      transport.show('done');
      for (const listener of listeners) listener();
    } catch (error) {
      transport.show('ready');
      loading.failed(error);
    } finally {
      busy = false;
      if (stale) {
        stale = false;
        void tell(slowly);
      }
    }
  }

  scene.onChange((dragging) => void tell(!dragging));
  return {
    loaded: loading.load(),
    get model() {
      return model;
    },
    get picture() {
      return picture;
    },
    get grid() {
      return grid;
    },
    get steps() {
      return steps;
    },
    /** Calls the listener with the current caption, if there is one, and with every later caption. @param {() => void} listener */
    onTold(listener) {
      listeners.push(listener);
      if (steps.length > 0) listener();
    },
  };
}
