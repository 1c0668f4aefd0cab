// SPDX-License-Identifier: MIT
// A section with a gallery: shown if its weights are there, loaded when it comes near, with a switch to another model.
// @ts-check
import { acquire } from '../lib/shared.js';
import { byId } from './dom.js';
import { createGalleryFigure } from './gallery-figure.js';
import { createLoading } from './loading.js';
import { createModelSwitch } from './model-switch.js';
import { keepDrops } from './photo.js';
import { loadPictures } from './pictures.js';
/** @import { NextPixelError } from '../lib/error.js' */
/** @import { Hold } from '../lib/shared.js' */
/** @import { Task } from './gallery.js' */
/** @import { StripName } from './pictures.js' */

/** How far from the screen the model begins to load. */
const NEAR = '500px 0px';

/**
 * @typedef {Object} Choice a model, and the pictures that it is shown
 * @property {StripName} strip
 * @property {string} weights
 * @property {number} temperature
 * @property {number[]} first the pictures that the rows open with, by their place in the strip
 */

/**
 * @typedef {Object} Section
 * @property {string} id its own, and what those of its parts begin with
 * @property {string} root id of all that is hidden where the weights are not there
 * @property {Choice} emoji
 * @property {Choice} photos
 * @property {Task} task
 * @property {string} fate what becomes of the middle square of a visitor's picture
 */

/** @param {Choice} choice */
const isThere = async ({ weights }) => Boolean((await fetch(weights, { method: 'HEAD' }).catch(() => null))?.ok);

/** The section, once it is known that there is something to show. @param {Section} section */
export async function createSection(section) {
  const { id, root } = section;
  // Where the weights are not there, the page has one section less; where those for photographs are not, nothing to switch to.
  const [emoji, photos] = await Promise.all([section.emoji, section.photos].map(isThere));
  if (!emoji) return;
  for (const part of [root, `${id}-link`, 'credits']) byId(part).hidden = false;
  if (photos) for (const part of [...byId(root).querySelectorAll('.with-photos'), byId('photo-credits')]) part.removeAttribute('hidden');
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
  /** @type {ReturnType<typeof createGalleryFigure> | undefined} */
  let figure;
  /** @type {Choice | undefined} */
  let shown;
  /** @type {Hold | undefined} */
  let hold;
  const choices = createModelSwitch(byId(`${section.id}-switch`), () => {
    figure?.leave();
    return loading.start();
  });
  const loading = createLoading(
    (options) => choices.during(async () => {
      const choice = choices.value === 'photos' ? section.photos : section.emoji;
      const model = acquire(choice.weights, { ...options, workers: 'auto' });
      const [held, subjects] = await Promise.all([model, choice === shown ? [] : loadPictures(choice.strip)]);
      hold?.release();
      hold = held;
      figure ??= createGalleryFigure(section, choice, subjects, {
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
      if (choice !== shown) figure.show(choice, subjects);
      shown = choice;
      return held.model;
    }),
    (model) => figure?.use(model),
    `${section.id}-load`,
  );
  loading.start();
}
