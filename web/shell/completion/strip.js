// SPDX-License-Identifier: MIT
// Builds the strip of test digits. Each digit is a radio button, so the arrow keys move between the digits.
// @ts-check
import { quantise } from '../library.js';
import { make } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { paintSmall } from '../picture/paint.js';
import { onTheme, palette } from '../picture/palette.js';
/** @import { State, Store } from './state.js' */

/**
 * @param {Store<State>} store
 * @param {HTMLElement} root the fieldset for the strip
 * @param {{ digit: number, pixels: Uint8Array }[]} digits
 * @param {number} first index of the digit that is selected first
 */
export function createStrip(store, root, digits, first) {
  const row = make('div', { class: 'strip-row' });
  const each = digits.length / 10;
  const cells = digits.map(({ digit, pixels }, i) => {
    const name = each > 1 ? phrase`Test digit ${digit}, number ${(i % each) + 1} of ${each}` : phrase`Test digit ${digit}`;
    const input = make('input', { type: 'radio', name: 'digit', value: String(i), 'aria-label': name });
    const canvas = make('canvas', { 'aria-hidden': 'true' });
    const choose = () => {
      const levels = store.now.info?.levels ?? 16;
      store.set({ source: { pixels: quantise(pixels, levels), name: phrase`Test digit ${digit}`, digit: i }, truth: null });
    };
    input.addEventListener('change', choose);
    row.append(make('label', { title: phrase`A test ${digit}` }, input, canvas));
    return { input, canvas, pixels, choose };
  });
  const draw = () => cells.forEach(({ canvas, pixels }) => paintSmall(canvas, (i) => palette().known[pixels[i]]));
  onTheme(draw);
  draw();
  root.append(row);
  /** @param {number} i */
  const choose = (i) => {
    cells[i].input.checked = true;
    cells[i].choose();
  };
  choose(first);
  return {
    count: cells.length,
    choose,
    /** Deselects all digits, because the picture to complete is no longer from the strip. */
    clear() {
      for (const { input } of cells) input.checked = false;
    },
  };
}
