// SPDX-License-Identifier: MIT
// Shows why positions are needed. Translates the same words in another order, with and without position encodings.
// @ts-check
import { byId, fault, inSight, load, phrase, weights } from '../../shell/index.js';
import { fileBytes } from '../../shell/model/gguf.js';
import { withoutPositions } from './placeless.js';
import { shuffled } from './words.js';
/** @import { Model } from '../../shell/index.js' */

const FILE = 'de-en.gguf';

/**
 * Creates the figure. The shuffled sentence and the model without positions are created once the figure becomes visible.
 * @param {() => string} sentence
 */
export function createShuffling(sentence) {
  /** @type {HTMLButtonElement} */
  const shuffle = byId('shuffle');
  const said = byId('shuffle-said');
  /** @type {Model | null} */
  let model = null;
  /** @type {Promise<Model> | null} */
  let placeless = null;
  /** @type {{ tokens: number[], text: string } | null} */
  let other = null;
  /** The original sentence; `other` contains its words in another order. */
  let of = '';
  let stopper = new AbortController();

  /** Loads the same model without position encodings. After a failure, the next call loads the model again. */
  function takeAway() {
    placeless ??= fileBytes(weights(FILE))
      .then((file) => load(withoutPositions(new Uint8Array(file))))
      .catch((error) => {
        placeless = null;
        throw error;
      });
    return placeless;
  }

  async function fill() {
    const reader = model;
    if (!reader) return;
    stopper.abort();
    stopper = new AbortController();
    const { signal } = stopper;
    byId('order-own').textContent = of;
    byId('order-other').textContent = other?.text ?? '';
    said.textContent = '';
    /** @param {string} id @param {Model} by @param {string | number[]} text */
    const put = async (id, by, text) => {
      byId(id).textContent = text.length > 0 ? (await by.translate(text, { signal }).text()) || phrase`(nothing)` : '';
    };
    try {
      await put('with-own', reader, of);
      await put('with-other', reader, other?.tokens ?? '');
      const bag = await takeAway();
      signal.throwIfAborted();
      await put('without-own', bag, of);
      await put('without-other', bag, other?.tokens ?? '');
      if (byId('without-own').textContent === byId('without-other').textContent)
        said.textContent = phrase`Without positions, the model cannot distinguish the two sentences: it sees a bag of words.`;
    } catch (error) {
      if (!signal.aborted) said.textContent = fault(error);
    }
  }
  function again() {
    if (!model) return;
    of = sentence();
    try {
      const { source, sourceTexts } = model.translate(of);
      other = source.length > 1 ? shuffled(source, sourceTexts) : null;
    } catch {
      other = null; // if the sentence is too long, the figure above reports the error
    }
    fill();
  }
  /** Updates the figure if the sentence has changed. */
  function show() {
    if (model && sight.seen && of !== sentence()) again();
  }
  const sight = inSight(byId('figure-shuffle'), { onSeen: show, onAway: () => {} });
  shuffle.addEventListener('click', again);
  return {
    show,
    /** @param {Model | null} next */
    use(next) {
      model = next;
      shuffle.disabled = !next;
    },
  };
}
