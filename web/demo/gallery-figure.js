// SPDX-License-Identifier: MIT
// A gallery with what stands around it: buttons, seed, strip, a picture of one's own, and whether it can be seen.
// @ts-check
import { announce } from '../lib/status.js';
import { byId, perFrame, reducedMotion } from './dom.js';
import { createGallery } from './gallery.js';
import { inSight } from './in-sight.js';
import { createPhoto } from './photo.js';
import { createPictureStrip } from './picture-strip.js';
import { STRIPS } from './pictures.js';
import { createSeedField } from './seed-field.js';
import { integer, time } from './words.js';
/** @import { Model } from '../lib/model.js' */
/** @import { Subject } from './pictures.js' */
/** @import { Choice, Section } from './section.js' */

/** Forget older pulls at this rate, as the first figure does. */
const KEEP = 0.98;

/**
 * @param {Section} section
 * @param {Choice} choice that it begins with
 * @param {Subject[]} subjects of its strip
 * @param {{ onRun: () => void, onError: (error: unknown) => void }} hooks
 */
export function createGalleryFigure({ id, task, fate }, choice, subjects, { onRun, onError }) {
  /** @type {<T extends HTMLElement>(name: string) => T} */
  const part = (name) => byId(`${id}-${name}`);
  const made = `${task.plan.noun}s`;
  /** What is shown. */
  let { strip: name, temperature } = choice;
  /** The visitor's picture, while it is in the first row. @type {Subject | null} */
  let own = null;
  /** @type {HTMLButtonElement} */
  const play = part('run');
  /** @type {HTMLButtonElement} */
  const stop = part('stop');
  const pace = meter(part('pace'));
  const gallery = createGallery(part('gallery'), choice.first.map((i) => subjects[i]), task, {
    onPull: pace.pulled,
    onError,
    onPhase(phase) {
      play.disabled = phase === 'empty';
      stop.disabled = phase !== 'running';
      part('run-text').textContent = phase === 'running' ? 'Start over' : phase === 'done' ? 'Play again' : 'Play';
      if (phase === 'running') onRun();
      if (phase === 'running') announce(`Drawing ${STRIPS[name].things}, three ${made} of each.`);
    },
    onEnd: (drawn) => announce(drawn.length === 1 ? `${drawn[0].name}: three ${made} are drawn.` : `All ${made} are drawn.`),
  });
  const strip = createPictureStrip(part('strip'), (subject) => {
    own = null;
    gallery.choose(subject);
  });
  createPhoto(part('photo'), subjects[0].image.width, fate, (image) => {
    strip.clear();
    own = { name: 'your picture', note: '', label: null, image };
    gallery.choose(own);
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
    /** Opens with the pictures of a choice; the visitor's own stays. @param {Choice} next @param {Subject[]} among */
    show(next, among) {
      ({ strip: name, temperature } = next);
      const rows = next.first.map((i) => among[i]);
      if (own) rows[0] = own;
      gallery.show(rows);
      strip.show(name, among, rows[0]);
    },
    /** The visitor wants another model: the run of this one stops, and the other one's begins as the first did. */
    leave() {
      gallery.use(null);
      cut = true;
    },
    /** @param {Model | null} model null: there is none until another comes */
    use(model) {
      gallery.use(model, temperature);
      if (!model) return;
      pace.reset();
      part(`${name}-parameters`).textContent = integer(model.info.parameters);
      part('temperature').textContent = String(temperature);
      announce(`The model of the ${STRIPS[name].things} is loaded.`);
      proceed();
    },
  };
}

/** Shows how long a pixel takes here. @param {HTMLElement} where */
function meter(where) {
  let ms = 0;
  let pixels = 0;
  const show = perFrame(() => {
    where.textContent = pixels > 0 ? `${time(ms / pixels)} a pixel, computed here` : '';
  });
  return {
    /** @param {number} took @param {number} count */
    pulled(took, count) {
      ms = ms * KEEP + took;
      pixels = pixels * KEEP + count;
      show();
    },
    /** Another model takes another time. */
    reset() {
      ms = pixels = 0;
      show();
    },
  };
}
