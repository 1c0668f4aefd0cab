// SPDX-License-Identifier: MIT
// The first model of a page: its own, the one that its address names, or the visitor's.
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

/** @typedef {(options: LoadOptions, among: string) => Promise<Hold> | undefined} Instead  returns undefined to use the page's own model */
/** @type {Instead} */
let instead = () => undefined;

/** Replaces the first model from now on (see own-file.js). @param {Instead} by */
export function standIn(by) {
  instead = by;
}

/** Shows a note in front of the first figure: the name of the visitor's model and what to try with it. @param {Model} model */
export function introduce({ info }) {
  if (misfit(info, '')) return;
  if (document.getElementById('asked')) return;
  document
    .querySelector('main figure')
    ?.before(
      make(
        'p',
        { id: 'asked', class: 'notice' },
        phrase`Instead of ours: ${info.name}, ${integer(info.parameters)} parameters, from ${new URL(String(asked)).host || asked}. `,
        trying(info),
        ' ',
        make('a', { href: location.pathname }, phrase`Back to ours`),
      ),
    );
}

/** Returns the visitor's model if the page can show it. @param {Hold} hold */
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
 * Acquires the model of the visitor's file, or the one that the address names if the page can show it, or the one in the page's head.
 *
 * @param {LoadOptions} options
 * @param {string} [among] name of the model, in a figure with several models
 * @returns {Promise<Hold>}
 */
export async function acquireFirst(options, among = '') {
  const other = instead(options, among);
  if (other) return other;
  const hold = await acquireEarly(options);
  return asked ? fitting(hold) : hold;
}
