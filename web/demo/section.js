// SPDX-License-Identifier: MIT
// A section with a gallery: shown if its weights are there, loaded when it comes near, stopped when it goes.
// @ts-check
import { acquire } from '../lib/shared.js';
import { announce } from '../lib/status.js';
import { byId, perFrame, reducedMotion } from './dom.js';
import { createEmojiStrip } from './emoji-strip.js';
import { loadEmoji } from './emoji.js';
import { createGallery } from './gallery.js';
import { inSight } from './in-sight.js';
import { createLoading } from './loading.js';
import { createPhoto, keepDrops } from './photo.js';
import { createSeedField } from './seed-field.js';
import { integer, time } from './words.js';
/** @import { NextPixelError } from '../lib/error.js' */
/** @import { Model } from '../lib/model.js' */
/** @import { Hold } from '../lib/shared.js' */
/** @import { Emoji } from './emoji.js' */
/** @import { Task } from './gallery.js' */

/** How far from the screen the model begins to load. */
const NEAR = '500px 0px';
/** Forget older pulls at this rate, as the first figure does. */
const KEEP = 0.98;

/**
 * @typedef {Object} Section
 * @property {string} id its own, and what those of its parts begin with
 * @property {string} root id of all that is hidden where the weights are not there
 * @property {string} weights
 * @property {number[]} first the emoji that the rows open with, by their place in the strip
 * @property {Task} task
 * @property {string} fate what becomes of the middle square of a visitor's picture
 */

/** The section, once it is known that there is something to show. @param {Section} section */
export async function createSection(section) {
  const { id, root, weights } = section;
  // Where the weights are not there, the page has one section less.
  const answer = await fetch(weights, { method: 'HEAD' }).catch(() => null);
  if (!answer?.ok) return;
  for (const part of [root, `${id}-link`, 'credits']) byId(part).hidden = false;
  if (location.hash === `#${id}`) byId(id).scrollIntoView({ behavior: 'instant' });
  keepDrops();
  const near = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    near.disconnect();
    open(section);
  }, { rootMargin: NEAR });
  near.observe(byId(root));
}

/** @param {Section} section */
function open(section) {
  /** @type {ReturnType<typeof createFigure> | undefined} */
  let figure;
  /** @type {Hold | undefined} */
  let hold;
  const loading = createLoading(
    async (options) => {
      const [held, emoji] = await Promise.all([acquire(section.weights, options), figure ? [] : loadEmoji()]);
      hold = held;
      figure ??= createFigure(section, emoji, {
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
    `${section.id}-load`,
  );
  loading.start();
}

/**
 * @param {Section} section
 * @param {Emoji[]} emoji
 * @param {{ onRun: () => void, onError: (error: unknown) => void }} hooks
 */
function createFigure({ id, first, task, fate }, emoji, { onRun, onError }) {
  /** @type {<T extends HTMLElement>(name: string) => T} */
  const part = (name) => byId(`${id}-${name}`);
  const things = `${task.plan.noun}s`;
  /** @type {HTMLButtonElement} */
  const play = part('run');
  /** @type {HTMLButtonElement} */
  const stop = part('stop');
  const pace = meter(part('pace'));
  part('temperature').textContent = String(task.temperature);
  const gallery = createGallery(part('gallery'), first.map((i) => emoji[i]), task, {
    onPull: pace.pulled,
    onError,
    onPhase(phase) {
      play.disabled = phase === 'empty';
      stop.disabled = phase !== 'running';
      part('run-text').textContent = phase === 'running' ? 'Start over' : phase === 'done' ? 'Play again' : 'Play';
      if (phase === 'running') onRun();
      if (phase === 'running') announce(`Drawing emoji, three ${things} of each.`);
    },
    onEnd: (drawn) => announce(drawn.length === 1 ? `${drawn[0].name}: three ${things} are drawn.` : `All ${things} are drawn.`),
  });
  const strip = createEmojiStrip(part('strip'), emoji, first[0], gallery.choose);
  createPhoto(part('photo'), emoji[0].image.width, fate, (image) => {
    strip.clear();
    gallery.choose({ name: 'your picture', style: '', image });
    part('gallery').firstElementChild?.scrollIntoView({ block: 'nearest' });
  });

  play.addEventListener('click', gallery.start);
  stop.addEventListener('click', () => {
    gallery.stop();
    announce('Stopped.');
    play.focus(); // the button that had the focus is disabled now
  });

  const seed = createSeedField(part('seed'), part('dice'), () => {
    cut = false;
    gallery.seed = seed.value;
    gallery.start();
  });
  gallery.seed = seed.value;

  // Only what can be seen is drawn. What was cut short goes on when it is back.
  let cut = true; // the first run begins when the figure is seen
  const proceed = () => {
    // A picture that draws itself is motion that nobody asked for.
    if (!cut || !sight.seen || gallery.phase !== 'ready' || reducedMotion()) return;
    cut = false;
    gallery.resume();
  };
  const sight = inSight(part('gallery'), {
    onSeen: proceed,
    onAway() {
      if (gallery.phase !== 'running') return;
      gallery.stop();
      cut = true;
    },
  });
  for (const button of [play, stop]) button.addEventListener('click', () => { cut = false; });

  return {
    /** @param {Model | null} model */
    use(model) {
      gallery.use(model);
      if (!model) return;
      part('parameters').textContent = integer(model.info.parameters);
      announce('The emoji model is loaded.');
      proceed();
    },
  };
}

/** Shows how long a pixel takes here. @param {HTMLElement} where */
function meter(where) {
  let ms = 0;
  let pixels = 0;
  const show = perFrame(() => {
    where.textContent = `${time(ms / pixels)} a pixel, computed here`;
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
