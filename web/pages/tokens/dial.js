// SPDX-License-Identifier: MIT
// Builds the sliders for the temperature and the filters. Also sets the sliders from the settings in the page's address, and returns the
// settings for the address.
// @ts-check
import { byId, numberIn, phrase, wholeIn } from '../../shell/index.js';
/** @import { Settings } from '../../shell/index.js' */
/** @import { Filters } from './filters.js' */

/**
 * @param {Object} hooks
 * @param {() => void} hooks.onMove called while a slider moves
 * @param {() => void} hooks.onSet called after a slider has moved
 */
export function createDial({ onMove, onSet }) {
  /**
   * Creates a slider.
   * @param {string} name
   * @param {(n: number) => number} value converts a slider position to a value
   * @param {(n: number) => string} words describes a value
   */
  function slider(name, value, words) {
    /** @type {HTMLInputElement} */
    const input = byId(name);
    const output = byId(`${name}-text`);
    const show = () => {
      input.setAttribute('aria-valuetext', (output.textContent = words(value(Number(input.value)))));
    };
    input.addEventListener('input', () => {
      show();
      onMove();
    });
    input.addEventListener('change', onSet);
    show();
    return {
      get value() {
        return value(Number(input.value));
      },
      /** Moves the slider to the position of this value, or to the nearest position. */
      set value(wanted) {
        const places = Array.from({ length: Number(input.max) - Number(input.min) + 1 }, (_, i) => Number(input.min) + i);
        input.value = String(
          places.reduce((best, n) => (Math.abs(value(n) - wanted) < Math.abs(value(best) - wanted) ? n : best), places[0]),
        );
        show();
      },
    };
  }
  const temperature = slider(
    'temperature',
    (n) => n / 20,
    (n) => (n === 0 ? phrase`0: always the first` : n.toFixed(2)),
  );
  const topK = slider(
    'top-k',
    (n) => (n === 0 ? 0 : Math.round(2 ** (9 - n))),
    (n) => (n === 0 ? phrase`all tokens` : phrase`the first ${n}`),
  );
  const topP = slider(
    'top-p',
    (n) => n / 100,
    (n) => (n === 1 ? phrase`all tokens` : phrase`${Math.round(100 * n)}% of the probability`),
  );
  const minP = slider(
    'min-p',
    (n) => n / 200,
    (n) => (n === 0 ? phrase`all tokens` : phrase`${(100 * n).toFixed(1)}% of the first one’s`),
  );
  return {
    /** @returns {Filters} */
    filters: () => ({ temperature: temperature.value, topK: topK.value, topP: topP.value, minP: minP.value }),
    /** @returns {Settings} */
    settings: () => ({ temperature: temperature.value, top_k: topK.value, top_p: topP.value, min_p: minP.value }),
    /** @param {URLSearchParams} given */
    apply(given) {
      temperature.value = numberIn(given, 'temperature', 0, 2, temperature.value);
      topK.value = wholeIn(given, 'top_k', 0, 256, topK.value);
      topP.value = numberIn(given, 'top_p', 0.05, 1, topP.value);
      minP.value = numberIn(given, 'min_p', 0, 0.3, minP.value);
      onMove();
    },
  };
}
