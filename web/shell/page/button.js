// SPDX-License-Identifier: MIT
// Creates a button with an icon and a label.
// @ts-check
import { make } from './dom.js';
import { createIcon } from './icon.js';
/** @import { IconName } from './icon.js' */

/**
 * @param {string} text
 * @param {{ id?: string, icon?: IconName, primary?: boolean }} [options]
 */
export function createButton(text, { id, icon, primary = false } = {}) {
  const word = make('span', id ? { id: `${id}-text` } : {}, text);
  const glyph = icon && createIcon(icon);
  const button = make(
    'button',
    { type: 'button', class: primary ? 'button primary' : 'button', ...(id && { id }) },
    ...(glyph ? [glyph.svg] : []),
    word,
  );
  return {
    button,
    /** @param {string} next @param {IconName} [symbol] */
    show(next, symbol) {
      word.textContent = next;
      if (symbol) glyph?.show(symbol);
    },
  };
}
