// SPDX-License-Identifier: MIT
// The choice of a layer and a head, in several places at once.
// @ts-check
import { make } from '../index.js';
/** @import { Choice } from './maps.js' */

/**
 * Which layer and head are shown: the same everywhere.
 * @param {HTMLElement[]} layers
 * @param {HTMLElement[]} heads
 * @param {() => void} onChange
 */
export function createHeads(layers, heads, onChange) {
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
    get choice() { return { layer: chosen(selects[0][0]), head: chosen(selects[1][0]) }; },
    /** From elsewhere: nobody is told. What there is not means all. @param {Choice} choice */
    set choice({ layer, head }) {
      for (const [same, n] of /** @type {[HTMLSelectElement[], number][]} */ ([[selects[0], layer], [selects[1], head]])) {
        for (const select of same) select.value = n >= 0 && n < select.options.length - 1 ? String(n) : '';
      }
    },
    /** Offers so many. @param {number} layerCount @param {number} headCount */
    have(layerCount, headCount) {
      for (const [same, count] of /** @type {[HTMLSelectElement[], number][]} */ ([[selects[0], layerCount], [selects[1], headCount]])) {
        for (const select of same) {
          if (!select.disabled && select.options.length === count + 1) continue;
          select.replaceChildren(make('option', { value: '' }, 'all'), ...Array.from({ length: count }, (_, i) => make('option', { value: String(i) }, String(i + 1))));
          select.disabled = false;
        }
      }
    },
  };
}
