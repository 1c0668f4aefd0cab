// SPDX-License-Identifier: MIT
// What positions are for: the words in another order, and the same weights without positions.
// @ts-check
import { byId, load, weights } from '../../shell/index.js';
import { withoutPositions } from './placeless.js';
import { shuffled } from './words.js';
/** @import { Model } from '../../shell/index.js' */

const FILE = 'de-en.gguf';

/**
 * The sentence with its words shuffled, and the model without positions.
 * @param {() => string} sentence
 */
export function createShuffling(sentence) {
  /** @type {HTMLButtonElement} */
  const shuffle = byId('shuffle');
  /** @type {HTMLButtonElement} */
  const take = byId('take-away');
  /** @type {Model | null} */
  let model = null;
  /** @type {Model | null} */
  let placeless = null;
  /** @type {{ tokens: number[], text: string } | null} */
  let other = null;
  /** The sentence that `other` is of. */
  let of = '';
  let stopper = new AbortController();

  async function show() {
    stopper.abort();
    stopper = new AbortController();
    const { signal } = stopper;
    if (!model) return;
    byId('order-own').textContent = of;
    byId('order-other').textContent = other?.text ?? '';
    try {
      for (const [id, reader, text] of /** @type {[string, Model | null, string | number[]][]} */ ([
        ['with-own', model, of], ['with-other', model, other?.tokens ?? ''], ['without-own', placeless, of], ['without-other', placeless, other?.tokens ?? '']])) {
        byId(id).textContent = reader && text.length > 0 ? await reader.translate(text, { signal }).text() || '(nothing)' : '';
      }
      byId('without-same').textContent = !placeless ? '' : byId('without-own').textContent === byId('without-other').textContent ?
        'Without positions both are one and the same to the model: a bag of words.' : '';
    } catch (error) {
      if (!signal.aborted) byId('shuffle-said').textContent = /** @type {Error} */ (error).message;
    }
  }
  function again() {
    if (!model) return;
    of = sentence();
    try {
      const { source, sourceTexts } = model.translate(of);
      other = source.length > 1 ? shuffled(source, sourceTexts) : null;
    } catch {
      other = null; // too long: the figure above says so
    }
  }
  shuffle.addEventListener('click', () => {
    again();
    show();
  });
  take.addEventListener('click', async () => {
    take.disabled = true;
    byId('shuffle-said').textContent = 'Loading the same weights once more';
    try {
      const answer = await fetch(weights(FILE));
      placeless = await load(withoutPositions(new Uint8Array(await answer.arrayBuffer())));
      byId('shuffle-said').textContent = 'The right column is the same model, whose words have no places.';
      if (!other) again();
      await show();
    } catch (error) {
      take.disabled = false;
      byId('shuffle-said').textContent = /** @type {Error} */ (error).message;
    }
  });
  return {
    /** @param {Model | null} next */
    use(next) {
      model = next;
      shuffle.disabled = !next;
      take.disabled = !next || placeless !== null;
    },
  };
}
