// SPDX-License-Identifier: MIT
// Loading the model: progress, cancel, and what went wrong with a way to try again.
// @ts-check
import { supported } from '../lib/index.js';
import { announce } from '../lib/status.js';
import { byId } from './dom.js';
import { bytes } from './words.js';

/** Errors that trying again will not mend. */
const FINAL = new Set(['unsupported', 'limit']);

/**
 * @template T
 * @param {(options: { onProgress: (progress: { loaded: number, total?: number }) => void, signal: AbortSignal }) => Promise<T>} load
 * @param {(model: T) => void} onModel
 * @param {string} [id] of the box; its parts have this before their names
 */
export function createLoading(load, onModel, id = 'load') {
  const root = byId(id);
  const text = byId(`${id}-text`);
  /** @type {HTMLProgressElement} */
  const bar = byId(`${id}-bar`);
  /** @type {HTMLButtonElement} */
  const action = byId(`${id}-action`);
  /** @type {AbortController | null} */
  let stopper = null;

  /** @param {string} message @param {string} again what the button offers; '' for none */
  function stopped(message, again) {
    root.classList.add('failed');
    text.textContent = message;
    action.textContent = again;
    action.hidden = !again;
    announce(message);
  }

  async function start() {
    stopper = new AbortController();
    const { signal } = stopper;
    root.hidden = false;
    root.classList.remove('failed');
    action.hidden = false;
    action.textContent = 'Cancel';
    text.textContent = 'Loading the model';
    bar.removeAttribute('value');
    announce('Loading the model');
    try {
      const model = await load({
        signal,
        onProgress({ loaded, total }) {
          if (total) bar.value = loaded / total;
          text.textContent = total ? `Loading the model: ${bytes(loaded)} of ${bytes(total)}` : `Loading the model: ${bytes(loaded)}`;
        },
      });
      root.hidden = true;
      onModel(model);
    } catch (error) {
      const { name, code, message } = /** @type {any} */ (error);
      if (name === 'AbortError') stopped('Loading was cancelled.', 'Load the model');
      else stopped(`The model could not be loaded. ${message}`, !supported || FINAL.has(code) ? '' : 'Try again');
    } finally {
      stopper = null;
    }
  }

  action.addEventListener('click', () => { if (stopper) stopper.abort(); else start(); });
  return {
    start,
    /**
     * Says what went wrong later on.
     * @param {string} message
     * @param {boolean} reload whether loading the model again may help
     */
    fail(message, reload) {
      root.hidden = false;
      stopped(message, reload ? 'Load the model again' : '');
    },
    /** Takes an old message away. */
    clear() {
      if (!stopper) root.hidden = true;
    },
  };
}
