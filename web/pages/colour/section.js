// SPDX-License-Identifier: MIT
// A section with a gallery: loaded when it comes near, with a switch to another model.
// @ts-check
import { acquire, byId, createLoading, createModelSwitch, loadPictures, onAddress, whenNear } from '../../shell/index.js';
import { createGalleryFigure } from './gallery-figure.js';
import { keepDrops } from './photo.js';
/** @import { StripName } from '../../shell/index.js' */
/** @import { Task } from './gallery.js' */

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
 * @property {Choice} emoji
 * @property {Choice} photos
 * @property {Task} task
 * @property {string} fate what becomes of the middle square of a visitor's picture
 */

/** @param {Section} section */
export function createSection(section) {
  const { id } = section;
  /** @type {ReturnType<typeof createGalleryFigure> | undefined} */
  let figure;
  /** @type {Choice | undefined} */
  let shown;
  /** What the address asks for, until it can be done. @type {URLSearchParams | undefined} */
  let wanted;
  let opened = false;
  const choices = createModelSwitch(byId(`${id}-switch`), change);
  const chosen = () => (choices.value === 'photos' ? section.photos : section.emoji);
  function change() {
    figure?.leave();
    return loading.load();
  }
  const loading = createLoading(byId(`${id}-load`), {
    acquire: (options) => choices.during(async () => {
      const choice = chosen();
      const model = acquire(choice.weights, { ...options, workers: 'auto' });
      try {
        const subjects = choice === shown ? [] : await loadPictures(choice.strip);
        if (!figure) {
          figure = createGalleryFigure(section, choice, subjects, { onRun: loading.clear, onError: loading.failed });
          figure.show(choice, subjects);
          shown = choice;
        }
        const held = await model;
        if (choice !== shown) figure.show(choice, subjects);
        shown = choice;
        return [held];
      } catch (error) {
        model.then(({ release }) => release(), () => {}); // the pictures did not come
        throw error;
      }
    }),
    onModels([model]) {
      figure?.use(model);
      apply();
    },
    onLost: () => figure?.use(null),
  });
  function apply() {
    const settings = wanted;
    wanted = undefined;
    if (settings) figure?.apply(settings);
  }
  function open() {
    if (opened) return;
    opened = true;
    loading.load();
  }
  keepDrops();
  onAddress(`figure-${id}`, (settings) => {
    wanted = settings;
    const model = settings.get('model');
    if (model === 'emoji' || model === 'photos') choices.value = model;
    if (shown && chosen() !== shown) change();
    else if (shown) apply();
  });
  whenNear(byId(`figure-${id}`), open);
}
