// SPDX-License-Identifier: MIT
// Builds the first figure of the pages about models that generate digits. The model completes a digit from the strip of test digits or from
// the drawing pad. Visitors can save the completions. The page's address contains the settings of the figure.
// @ts-check
import { acquireWith } from '../model/acquire-all.js';
import { acquireFirst } from '../model/start.js';
import { keepInAddress } from '../page/address.js';
import { byId } from '../page/dom.js';
import { loadStrip } from '../picture/digits.js';
import { createTake } from '../picture/take.js';
import { createCompletion } from './figure.js';
import { createPad } from './pad.js';
import { applySettings, settingsOf, shotsOf } from './shots.js';
import { createStrip } from './strip.js';
/** @import { State, Store } from './state.js' */

/** Index of the digit that the figure shows first, unless the page names another digit. */
const FIRST = 14;

/**
 * Builds the figure #figure-endings for the model that the page's <head> names.
 *
 * @param {Store<State>} store
 * @param {string} name name of the model, used in the address
 * @param {Omit<Parameters<typeof createCompletion>[1], 'acquire'> & { first?: number }} [options] first: index of the digit that the figure
 *   shows first
 */
export function createEndings(store, name, { first = FIRST, ...options } = {}) {
  /** @type {ReturnType<typeof createStrip> | undefined} */
  let strip;
  /** @type {Promise<void> | undefined} */
  let coming;
  /** Shows the strip of digits. After a failure, the next call fetches the strip again. */
  function showStrip() {
    coming ??= loadStrip()
      .then((digits) => {
        const choice = (strip = createStrip(store, byId('strip'), digits, first));
        createPad(store, byId('pad-side'), choice.clear);
        address.proceed();
      })
      .catch((error) => {
        coming = undefined;
        throw error;
      });
    return coming;
  }
  const address = keepInAddress('figure-endings', {
    // A copied link contains the pixels of a drawing, but the browser's history does not.
    settings: () => (store.now.source && store.now.source.digit >= 0 ? settingsOf(store, name) : null),
    apply: (given) => (strip ? applySettings(store, given, strip) : false),
  });
  store.on(['model'], () => address.settle()); // the new model may have a different number of grey levels
  store.on(['source', 'seed', 'label'], () => {
    if (strip) address.changed();
  });
  store.on(['rows', 'temperature'], () => {
    if (strip) address.changed(true);
  });

  const completion = createCompletion(store, {
    ...options,
    acquire: async (how) => (await acquireWith(acquireFirst(how), showStrip()))[0],
  });
  createTake(byId('take'), {
    id: 'figure-endings',
    shots: () => shotsOf(store, completion.runner.pictures),
    settings: () => settingsOf(store, name),
  });
  return completion;
}
