// SPDX-License-Identifier: MIT
// The models of a figure: loading with progress and cancel, what went wrong with a way to try again, and a worker that has gone.
// @ts-check
import { announce, supported } from '../library.js';
import { make } from '../page/dom.js';
import { fault } from '../page/fault.js';
import { phrase } from '../page/phrase.js';
import { bytes } from '../page/words.js';
/** @import { Hold, Model, NextPixelError, Progress } from '../library.js' */

/** Errors that trying again will not mend. */
const FINAL = new Set(['unsupported', 'limit']);
/** Errors after which the worker is gone: the model cannot be asked again. */
const LOST = new Set(['trap', 'closed']);

/** @typedef {{ onProgress: (progress: Progress) => void, signal: AbortSignal }} LoadOptions */

/** How a figure loads anew, by the signal of a load of its; what went wrong, '' if nothing. @type {WeakMap<AbortSignal, () => Promise<string>>} */
export const reloads = new WeakMap();

/**
 * @param {HTMLElement} root the box, hidden; its id is what those of its parts begin with
 * @param {Object} hooks
 * @param {(options: LoadOptions) => Promise<Hold[]>} hooks.acquire gets the models
 * @param {(models: Model[]) => void} hooks.onModels they are there
 * @param {() => void} hooks.onLost they are gone
 */
export function createLoading(root, { acquire, onModels, onLost }) {
  const bar = make('progress', { id: `${root.id}-bar`, max: '1', value: '0', 'aria-label': phrase`Loading the model` });
  const text = make('p', { id: `${root.id}-text` });
  const action = make('button', { id: `${root.id}-action`, type: 'button', class: 'button' }, phrase`Cancel`);
  root.append(bar, text, action);
  /** @type {AbortController | null} */
  let stopper = null;
  /** @type {Hold[]} */
  let holds = [];

  /** @param {string} message @param {string} again the label of the button; '' for none */
  function stopped(message, again) {
    root.hidden = false;
    root.classList.add('failed');
    text.textContent = message;
    action.textContent = again;
    action.hidden = !again;
    announce(message);
  }

  /** @returns {Promise<string>} what went wrong; '': nothing, or it was asked for again meanwhile */
  async function load() {
    stopper?.abort();
    const mine = (stopper = new AbortController());
    const { signal } = mine;
    reloads.set(signal, load);
    root.hidden = false;
    root.classList.remove('failed');
    action.hidden = false;
    action.textContent = phrase`Cancel`;
    text.textContent = phrase`Loading the model`;
    bar.removeAttribute('value');
    announce(phrase`Loading the model`);
    try {
      const held = await acquire({
        signal,
        onProgress({ loaded, total }) {
          if (total) bar.value = loaded / total;
          text.textContent = total
            ? phrase`Loading the model: ${bytes(loaded)} of ${bytes(total)}`
            : phrase`Loading the model: ${bytes(loaded)}`;
        },
      });
      if (stopper !== mine) {
        for (const hold of held) hold.release();
        return '';
      }
      if (holds.length > 0) onLost(); // others take their place
      for (const hold of holds) hold.release();
      holds = held;
      root.hidden = true;
      onModels(holds.map(({ model }) => model));
    } catch (error) {
      if (stopper !== mine) return '';
      const { name, code } = /** @type {any} */ (error);
      const wrong = fault(error);
      if (name === 'AbortError') stopped(phrase`Loading was cancelled.`, phrase`Load the model`);
      else stopped(phrase`The model could not be loaded. ${wrong}`, !supported || FINAL.has(code) ? '' : phrase`Try again`);
      return wrong;
    } finally {
      if (stopper === mine) stopper = null;
    }
    return '';
  }

  action.addEventListener('click', () => {
    if (stopper) stopper.abort();
    else load();
  });
  return {
    load,
    /** A run has failed. @param {unknown} error */
    failed(error) {
      const { code } = /** @type {NextPixelError} */ (error);
      if (code === 'closed' && holds.length > 0) return; // a run of a model whose place another has taken
      const lost = LOST.has(code);
      if (lost) {
        for (const hold of holds) hold.discard();
        holds = [];
        onLost();
      }
      stopped(phrase`The run stopped. ${fault(error)}`, lost ? phrase`Load the model again` : '');
    },
    /** A run has begun: an old message goes. */
    clear() {
      if (!stopper) root.hidden = true;
    },
  };
}
