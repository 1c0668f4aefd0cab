// SPDX-License-Identifier: MIT
// What takes longest begins first: while the rest of a page is still being read, a worker starts and the weights come that its head asks for.
// @ts-check
import { asked, misfit } from './asked.js';
import { make } from './dom.js';
import { takeWorker, weights } from './first.js';
import { acquire } from './library.js';
import { integer } from './words.js';
/** @import { Hold, Model } from './library.js' */
/** @import { LoadOptions } from './loading.js' */

/** Holds the model until a figure does. */
const waiting = new AbortController();
const { signal } = waiting;
const address = asked ?? weights?.href;
if (address) {
  acquire(address, { signal, worker: takeWorker() }).then(
    ({ release }) => (signal.aborted ? release() : signal.addEventListener('abort', release)),
    () => {}, // whoever asks next hears of it
  );
}

/** Says in front of the first figure whose model it shows. @param {Model} model */
function introduce({ info }) {
  if (document.getElementById('asked')) return;
  document.querySelector('main figure')?.before(make('p', { id: 'asked', class: 'notice' },
    `In place of ours: ${info.name}, ${integer(info.parameters)} parameters, from ${new URL(String(asked)).host || asked}. `, make('a', { href: location.pathname }, 'Back to ours')));
}

/** The model of somebody else, if the page can show it. @param {Hold} hold */
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
 * The model that the page's head asks for, or that its address names: joins what has begun.
 *
 * @param {LoadOptions} options
 * @returns {Promise<Hold>}
 */
export function acquireFirst(options) {
  if (!address) throw new Error('The head of this page preloads no weights.');
  const hold = acquire(address, options);
  waiting.abort();
  return asked ? hold.then(fitting) : hold;
}
