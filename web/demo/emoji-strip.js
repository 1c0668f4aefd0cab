// SPDX-License-Identifier: MIT
// The strip of emoji: radio buttons, so that arrow keys walk along it.
// @ts-check
import { make } from './dom.js';
/** @import { Emoji } from './emoji.js' */

/**
 * @param {HTMLElement} root the fieldset
 * @param {Emoji[]} emoji
 * @param {number} first which one is chosen to begin with
 * @param {(emoji: Emoji) => void} choose
 */
export function createEmojiStrip(root, emoji, first, choose) {
  const row = make('div', { class: 'strip-row' });
  const inputs = emoji.map((one, i) => {
    const { name, style, image } = one;
    const input = make('input', { type: 'radio', name: root.id, value: String(i), 'aria-label': `${name}, ${style}` });
    const canvas = make('canvas', { 'aria-hidden': 'true', width: String(image.width), height: String(image.height) });
    canvas.getContext('2d')?.putImageData(image, 0, 0);
    input.checked = i === first;
    input.addEventListener('change', () => choose(one));
    row.append(make('label', { title: `${name}, ${style}` }, input, canvas));
    return input;
  });
  root.append(row);
  return {
    /** None of them is in the first row any more. */
    clear() { for (const input of inputs) input.checked = false; },
  };
}
