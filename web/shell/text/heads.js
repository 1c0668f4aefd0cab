// SPDX-License-Identifier: MIT
// Stores the selected layer and head, which several controls show.
// @ts-check
import { make, phrase } from '../index.js';
/** @import { Choice } from './maps.js' */

/**
 * Keeps the selected layer and head the same in all controls.
 * @param {HTMLElement[]} layers
 * @param {HTMLElement[]} heads
 * @param {() => void} onChange
 * @param {Choice} [first] the initial choice (default: all)
 */
export function createHeads(layers, heads, onChange, first = { layer: -1, head: -1 }) {
  const selects = /** @type {HTMLSelectElement[][]} */ ([layers, heads]);
  for (const same of selects) {
    for (const select of same) {
      select.addEventListener('change', () => {
        for (const other of same) other.value = select.value;
        onChange();
      });
    }
  }
  const chosen = (/** @type {HTMLSelectElement} */ { value }) => (value === '' ? -1 : Number(value));
  return {
    /** @returns {Choice} */
    get choice() {
      return { layer: chosen(selects[0][0]), head: chosen(selects[1][0]) };
    },
    /**
     * Sets the choice from code; listeners are not notified. If the model does not have this head, selects all heads.
     *
     * @param {Choice} choice
     */
    set choice({ layer, head }) {
      for (const [same, n] of /** @type {[HTMLSelectElement[], number][]} */ ([
        [selects[0], layer],
        [selects[1], head],
      ])) {
        for (const select of same) select.value = n >= 0 && n < select.options.length - 1 ? String(n) : '';
      }
    },
    /**
     * Returns the layer and the head for the page's address, or {} for the initial choice. In the address, they are counted from 1, and 0
     * means all.
     * @returns {Record<string, number>}
     */
    settings() {
      const { layer, head } = this.choice;
      return layer === first.layer && head === first.head ? {} : { layer: layer + 1, head: head + 1 };
    },
    /** Applies the settings in an address. @param {URLSearchParams} given */
    apply(given) {
      this.choice =
        given.has('layer') || given.has('head')
          ? { layer: Number(given.get('layer') ?? 0) - 1, head: Number(given.get('head') ?? 0) - 1 }
          : first;
    },
    /**
     * Sets the numbers of layers and heads to choose from. The first call also selects the initial layer and head.
     * @param {number} layerCount
     * @param {number} headCount
     */
    have(layerCount, headCount) {
      const fresh = selects[0][0].disabled;
      for (const [same, count] of /** @type {[HTMLSelectElement[], number][]} */ ([
        [selects[0], layerCount],
        [selects[1], headCount],
      ])) {
        for (const select of same) {
          if (!select.disabled && select.options.length === count + 1) continue;
          select.replaceChildren(
            make('option', { value: '' }, phrase`all`),
            ...Array.from({ length: count }, (_, i) => make('option', { value: String(i) }, String(i + 1))),
          );
          select.disabled = false;
        }
      }
      if (fresh) this.choice = first;
    },
  };
}
