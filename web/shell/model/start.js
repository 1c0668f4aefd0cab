// SPDX-License-Identifier: MIT
// Selects the first model of a page: the page's own model, the model that the address names, or the visitor's file.
// @ts-check
import { asked } from '../page/asked.js';
import { make } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { integer } from '../page/words.js';
import { acquireEarly } from './early.js';
import { misfit, trying } from './misfit.js';
/** @import { Hold, Model } from '../library.js' */
/** @import { LoadOptions } from './loading.js' */

export { ours } from './early.js';

/**
 * @typedef {(options: LoadOptions, among: string) => Promise<Hold> | undefined} Instead  function that may supply another model; returns
 *   undefined if the page should use its own model
 */
/** @type {Instead} */
let instead = () => undefined;

/** Sets the function that may supply the first model from now on (see own-file.js). @param {Instead} by */
export function standIn(by) {
  instead = by;
}

/**
 * Shows a note before the first figure. The note names the visitor's model and suggests what to try with this model.
 * @param {Model} model
 */
export function introduce({ info }) {
  if (misfit(info, '')) return;
  if (document.getElementById('asked')) return;
  document
    .querySelector('main figure')
    ?.before(
      make(
        'p',
        { id: 'asked', class: 'notice' },
        phrase`This page now shows ${info.name}, a model with ${integer(info.parameters)} parameters, from ${new URL(String(asked)).host || asked}. `,
        trying(info),
        ' ',
        make('a', { href: location.pathname }, phrase`Back to the page's own model`),
      ),
    );
}

/** Returns the visitor's model if the page can show it, and throws otherwise. @param {Hold} hold */
function fitting(hold) {
  const { model, release } = hold;
  const wrong = misfit(model.info, String(asked));
  if (wrong) {
    release();
    throw Object.assign(new Error(wrong), { code: 'unsupported' });
  }
  introduce(model);
  return hold;
}

/**
 * Acquires the visitor's file if there is one. Otherwise acquires the model that the address names, if the page can show that model. In all
 * other cases, acquires the model that the page's <head> names.
 *
 * @param {LoadOptions} options
 * @param {string} [among] name of the model, if a figure has several models
 * @returns {Promise<Hold>}
 */
export async function acquireFirst(options, among = '') {
  const other = instead(options, among);
  if (other) return other;
  const hold = await acquireEarly(options);
  return asked ? fitting(hold) : hold;
}
