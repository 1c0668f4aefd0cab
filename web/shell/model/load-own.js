// SPDX-License-Identifier: MIT
// Loads a visitor's model, which replaces the page's own model.
// @ts-check
import { load } from '../library.js';
import { phrase } from '../page/phrase.js';
import { bytes } from '../page/words.js';
import { misfit } from './misfit.js';
/** @import { Model } from '../library.js' */

/**
 * Loads a model from a file. Throws if the page cannot show the model.
 *
 * @param {Parameters<typeof load>[0]} source
 * @param {string} name   name to display
 * @param {AbortSignal} signal
 * @param {(text: string) => void} say  receives progress messages
 * @returns {Promise<Model>} the model; the caller must close it
 */
export async function loadOwn(source, name, signal, say) {
  const model = await load(source, {
    signal,
    cache: false,
    onProgress({ loaded, total }) {
      say(total ? phrase`Loading ${name}: ${bytes(loaded)} of ${bytes(total)}` : phrase`Loading ${name}: ${bytes(loaded)}`);
    },
  });
  const wrong = misfit(model.info, name);
  if (!wrong) return model;
  model.close();
  throw new Error(wrong);
}
