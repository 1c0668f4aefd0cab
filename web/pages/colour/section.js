// SPDX-License-Identifier: MIT
// Controls one of the page's sections with a gallery. The section loads its model when it is about to scroll into view, and can switch to
// another model.
// @ts-check
import {
  acquire,
  byId,
  createLoading,
  createModelSwitch,
  integer,
  keepInAddress,
  loadPictures,
  phrase,
  whenNear,
} from '../../shell/index.js';
import { createGalleryFigure } from './gallery-figure.js';
import { createOwnModel, nameOf, openModel } from './own-model.js';
import { keepDrops } from './photo.js';
import { SHOWN } from './row.js';
/** @import { StripName } from '../../shell/index.js' */
/** @import { Task } from './gallery.js' */

/**
 * @typedef {Object} Choice a model and the pictures to offer for it
 * @property {StripName} strip
 * @property {string} weights
 * @property {number} temperature
 * @property {number} [tries] number of pictures to draw per row (default: as many as are shown)
 * @property {number} [given] percentage of a picture's rows that are given for a completion (default: 50)
 * @property {number[]} first indices (in the strip) of the pictures that the rows show initially
 * @property {File | string} [own] the visitor's own model, as a file or an address, instead of `weights`
 */

/**
 * @typedef {Object} Section
 * @property {string} id prefix of the ids of the section's elements; in the address, the section's settings belong to `figure-${id}`
 * @property {Choice} emoji
 * @property {Choice} photos
 * @property {Task} task
 * @property {string} fate text that describes how the central square of a visitor's picture is converted
 */

/** @param {Section} section */
export function createSection(section) {
  const { id } = section;
  /** @type {ReturnType<typeof createGalleryFigure> | undefined} */
  let figure;
  /** @type {Choice | undefined} */
  let shown;
  let opened = false;
  /** Whether the model for the displayed pictures has loaded. */
  let ready = false;
  const choices = createModelSwitch(byId(`${id}-switch`), change);
  /** The visitor's own model, if there is one, and the strip of pictures to show with it. @type {Choice | undefined} */
  let own;
  const chosen = () => (choices.value === 'own' && own ? own : choices.value === 'photos' ? section.photos : section.emoji);
  const ownModel = createOwnModel(byId(`${id}-own`), takeModel);
  /** @param {File | string} given a file or an address */
  function takeModel(given) {
    if (choices.busy) {
      ownModel.say(phrase`Another model is loading. Add ${nameOf(given)} again when it is ready.`, true);
      return;
    }
    own = { ...section.emoji, temperature: 1, tries: SHOWN, given: undefined, own: given };
    choices.offer('own', typeof given === 'string' ? phrase`Linked model` : phrase`Your model`);
    choices.value = 'own';
    opened = true;
    return change();
  }
  function change() {
    ownModel.say('');
    ready = false;
    figure?.leave();
    return loading.load();
  }
  const loading = createLoading(byId(`${id}-load`), {
    acquire: (options) =>
      choices.during(async () => {
        const choice = chosen();
        const model = choice.own
          ? openModel(choice.own, section.task.kind, options)
          : acquire(choice.weights, { ...options, workers: 'auto' });
        try {
          // A model without a palette accepts photographs unchanged.
          const { strip, first } = choice.own && !(await model).model.info.palette ? section.photos : choice;
          Object.assign(choice, { strip, first });
          const subjects = choice === shown ? [] : await loadPictures(choice.strip);
          if (!figure) {
            figure = createGalleryFigure(section, choice, subjects, {
              onRun: loading.clear,
              onError: loading.failed,
              onModel: takeModel,
              onChange: address.changed,
            });
            figure.show(choice, subjects);
            shown = choice;
          }
          const held = await model;
          if (choice !== shown) figure.show(choice, subjects);
          shown = choice;
          return [held];
        } catch (error) {
          model.then(
            ({ release }) => release(),
            () => {},
          );
          throw error;
        }
      }),
    onModels([model]) {
      ready = true;
      figure?.use(model);
      const { own: given } = chosen();
      if (given) ownModel.say(phrase`${nameOf(given)}, a model with ${integer(model.info.parameters)} parameters, is running now.`);
      address.proceed();
      address.changed(); // updates the address if the visitor has chosen another model
    },
    onLost() {
      ready = false;
      figure?.use(null);
    },
  });
  function open() {
    if (opened) return;
    opened = true;
    loading.load();
  }
  keepDrops();
  const address = keepInAddress(`figure-${id}`, {
    // The visitor's own picture is stored neither in the page's address nor in the browser's history. Only a copied link contains the
    // picture.
    settings: () => (ready && figure && !figure.ofOwn ? figure.settings() : null),
    apply(given) {
      const model = given.get('model');
      if (model === 'emoji' || model === 'photos' || (model === 'own' && own)) choices.value = model;
      if (shown && chosen() !== shown) change();
      if (!ready) return false;
      figure?.apply(given);
      return true;
    },
  });
  return { takeModel, openWhenNear: () => whenNear(byId(`figure-${id}`), open) };
}
