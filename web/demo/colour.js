// SPDX-License-Identifier: MIT
// The section in colour: shown if its weights are there, loaded when it comes near, stopped when it goes.
// @ts-check
import { acquire } from '../lib/shared.js';
import { announce } from '../lib/status.js';
import { byId, make, perFrame, reducedMotion } from './dom.js';
import { loadEmoji } from './emoji.js';
import { TEMPERATURE, createGallery } from './gallery.js';
import { createLoading } from './loading.js';
import { integer, time } from './words.js';
/** @import { NextPixelError } from '../lib/error.js' */
/** @import { Hold } from '../lib/shared.js' */
/** @import { Emoji } from './emoji.js' */

const WEIGHTS = new URL('../../weights/emoji.gguf', import.meta.url).href;
/** The emoji that the rows open with, by their place in the strip. */
const FIRST = [5, 12, 3, 16, 19, 2];
const SEED_LIMIT = 1e9;
/** How far from the screen the model begins to load. */
const NEAR = '500px 0px';
/** A run goes on for so long out of sight. */
const AWAY_MS = 5000;
/** Forget older pulls at this rate, as the first figure does. */
const KEEP = 0.98;

/** The section, once it is known that there is something to show. */
export async function createColour() {
  // Where the weights are not there, the page has one section less.
  const answer = await fetch(WEIGHTS, { method: 'HEAD' }).catch(() => null);
  if (!answer?.ok) return;
  for (const id of ['in-colour', 'colour-link', 'credits']) byId(id).hidden = false;
  if (location.hash === '#colour') byId('colour').scrollIntoView();
  const near = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    near.disconnect();
    open();
  }, { rootMargin: NEAR });
  near.observe(byId('in-colour'));
}

function open() {
  /** @type {ReturnType<typeof createFigure> | undefined} */
  let figure;
  /** @type {Hold | undefined} */
  let hold;
  const loading = createLoading(
    async (options) => {
      const [held, emoji] = await Promise.all([acquire(WEIGHTS, options), figure ? [] : loadEmoji()]);
      hold = held;
      figure ??= createFigure(emoji, {
        onRun: () => loading.clear(),
        onError(error) {
          const { code, message } = /** @type {NextPixelError} */ (error);
          // A model whose worker has gone cannot be asked again.
          const lost = code === 'trap' || code === 'closed';
          if (lost) {
            hold?.discard();
            figure?.use(null);
          }
          loading.fail(`The run stopped. ${message}`, lost);
        },
      });
      return hold.model;
    },
    (model) => figure?.use(model),
    'colour-load',
  );
  loading.start();
}

/**
 * @param {Emoji[]} emoji
 * @param {{ onRun: () => void, onError: (error: unknown) => void }} hooks
 */
function createFigure(emoji, { onRun, onError }) {
  /** @type {HTMLButtonElement} */
  const play = byId('colour-run');
  /** @type {HTMLButtonElement} */
  const stop = byId('colour-stop');
  const pace = meter();
  byId('colour-temperature').textContent = String(TEMPERATURE);
  const gallery = createGallery(byId('gallery'), FIRST.map((i) => emoji[i]), {
    onPull: pace.pulled,
    onError,
    onPhase(phase) {
      play.disabled = phase === 'empty';
      stop.disabled = phase !== 'running';
      byId('colour-run-text').textContent = phase === 'running' ? 'Start over' : phase === 'done' ? 'Play again' : 'Play';
      if (phase === 'running') onRun();
      if (phase === 'running') announce('Drawing emoji, three endings of each.');
    },
    onEnd: (drawn) => announce(drawn.length === 1 ? `${drawn[0].name}: three endings are drawn.` : 'All endings are drawn.'),
  });
  createStrip(emoji, FIRST[0], gallery.choose);

  play.addEventListener('click', gallery.start);
  stop.addEventListener('click', () => {
    gallery.stop();
    announce('Stopped.');
    play.focus(); // the button that had the focus is disabled now
  });

  /** @type {HTMLInputElement} */
  const seed = byId('colour-seed');
  let last = Number(seed.value);
  /** @param {number} n */
  const setSeed = (n) => {
    seed.value = String(n);
    gallery.seed = last = n;
  };
  setSeed(last);
  seed.addEventListener('change', () => {
    const n = Number(seed.value.trim());
    setSeed(Number.isInteger(n) && n >= 0 && n < SEED_LIMIT ? n : last);
    gallery.start();
  });
  byId('colour-dice').addEventListener('click', () => {
    setSeed(Math.floor(Math.random() * 10000));
    gallery.start();
  });

  // Only what can be seen is drawn. What was cut short goes on when it is back.
  let seen = false;
  let cut = true; // the first run begins when the figure is seen
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const interrupt = () => {
    if (gallery.phase !== 'running') return;
    gallery.stop();
    cut = true;
  };
  const proceed = () => {
    // A picture that draws itself is motion that nobody asked for.
    if (!cut || !seen || document.hidden || gallery.phase !== 'ready' || reducedMotion()) return;
    cut = false;
    gallery.resume();
  };
  new IntersectionObserver((entries) => {
    seen = entries[entries.length - 1].isIntersecting;
    clearTimeout(timer);
    if (seen) proceed();
    else timer = setTimeout(interrupt, AWAY_MS);
  }).observe(byId('gallery'));
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) interrupt();
    else proceed();
  });
  for (const button of [play, stop, byId('colour-dice')]) button.addEventListener('click', () => { cut = false; });

  return {
    /** @param {import('../lib/model.js').Model | null} model */
    use(model) {
      gallery.use(model);
      if (!model) return;
      byId('colour-parameters').textContent = integer(model.info.parameters);
      announce('The emoji model is loaded.');
      proceed();
    },
  };
}

/** Shows how long a pixel takes here. */
function meter() {
  let ms = 0;
  let pixels = 0;
  const show = perFrame(() => {
    byId('colour-pace').textContent = `${time(ms / pixels)} a pixel, computed here`;
  });
  return {
    /** @param {number} took @param {number} count */
    pulled(took, count) {
      ms = ms * KEEP + took;
      pixels = pixels * KEEP + count;
      show();
    },
  };
}

/**
 * The strip: radio buttons, so that arrow keys walk along it.
 * @param {Emoji[]} emoji
 * @param {number} first
 * @param {(emoji: Emoji) => void} choose
 */
function createStrip(emoji, first, choose) {
  const row = make('div', { class: 'strip-row' });
  emoji.forEach((one, i) => {
    const { name, style, image } = one;
    const input = make('input', { type: 'radio', name: 'emoji', value: String(i), 'aria-label': `${name}, ${style}` });
    const canvas = make('canvas', { 'aria-hidden': 'true', width: String(image.width), height: String(image.height) });
    canvas.getContext('2d')?.putImageData(image, 0, 0);
    input.checked = i === first;
    input.addEventListener('change', () => choose(one));
    row.append(make('label', { title: `${name}, ${style}` }, input, canvas));
  });
  byId('emoji-strip').append(row);
}
