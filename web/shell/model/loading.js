// SPDX-License-Identifier: MIT
// Loads the models of a figure. Shows the progress and a cancel button. After an error, offers a button that tries again. Reloads a model
// if its worker has ended.
// @ts-check
import { announce, supported } from '../library.js';
import { make } from '../page/dom.js';
import { fault } from '../page/fault.js';
import { phrase } from '../page/phrase.js';
import { bytes } from '../page/words.js';
/** @import { Hold, Model, NextPixelError, Progress } from '../library.js' */

/** Error codes after which another attempt cannot succeed. */
const FINAL = new Set(['unsupported', 'limit']);
/** Error codes after which the worker has ended and the model must be loaded again. */
const LOST = new Set(['trap', 'closed']);

/** @typedef {{ onProgress: (progress: Progress) => void, signal: AbortSignal }} LoadOptions */

/**
 * Functions that reload the models of a figure. The key is the `signal` that `acquire` received. Each function resolves with the error
 * message, or '' for success.
 * @type {WeakMap<AbortSignal, () => Promise<string>>}
 */
export const reloads = new WeakMap();

/**
 * @param {HTMLElement} root box with the progress bar; hidden at first. The ids of the elements in the box start with the id of the box
 * @param {Object} hooks
 * @param {(options: LoadOptions) => Promise<Hold[]>} hooks.acquire acquires the models
 * @param {(models: Model[]) => void} hooks.onModels called after the models have loaded
 * @param {() => void} hooks.onLost called after the models have been closed
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

  /** @param {string} message @param {string} again label of the button; '' for no button */
  function stopped(message, again) {
    root.hidden = false;
    root.classList.add('failed');
    text.textContent = message;
    action.textContent = again;
    action.hidden = !again;
    announce(message);
  }

  /** @returns {Promise<string>} the error message; '' after success or if a newer load has replaced this one */
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
      if (holds.length > 0) onLost(); // the new models replace the current ones
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
    /** Reports that a run has failed. @param {unknown} error */
    failed(error) {
      const { code } = /** @type {NextPixelError} */ (error);
      if (code === 'closed' && holds.length > 0) return; // the error is from a run of an earlier model that has been replaced
      const lost = LOST.has(code);
      if (lost) {
        for (const hold of holds) hold.discard();
        holds = [];
        onLost();
      }
      stopped(phrase`The run stopped. ${fault(error)}`, lost ? phrase`Load the model again` : '');
    },
    /** Hides the old error message when a run starts. */
    clear() {
      if (!stopper) root.hidden = true;
    },
  };
}
