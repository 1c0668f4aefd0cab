// SPDX-License-Identifier: MIT
// Creates the icons of the buttons. One SVG sheet contains the icons of all pages; the sheet is added to the document once.
// @ts-check
import { makeSvg } from './dom.js';

/** @typedef {'run' | 'pause' | 'stop' | 'step' | 'dice' | 'pen' | 'picture' | 'film' | 'link'} IconName name of a symbol in icons.svg */

/** @type {Promise<void> | undefined} */
let sheet;
/** Fetches the sheet of icons. If the sheet cannot be fetched, the buttons have labels without icons. */
async function bringSheet() {
  try {
    const text = await (await fetch(new URL('../icons.svg', import.meta.url))).text();
    const root = document.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true);
    root.setAttribute('hidden', '');
    root.setAttribute('aria-hidden', 'true');
    document.body.append(root);
  } catch {
    /* without a connection, the buttons have labels only */
  }
}

/** @param {IconName} name */
export function createIcon(name) {
  sheet ??= bringSheet();
  const use = makeSvg('use');
  const svg = makeSvg('svg', { class: 'glyph', 'aria-hidden': 'true' }, use);
  /** @param {IconName} symbol */
  const show = (symbol) => use.setAttribute('href', `#icon-${symbol}`);
  show(name);
  return { svg, show };
}
