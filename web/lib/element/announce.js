// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Shares one status text (aria-live: polite) among all elements of a page. On a page with five pictures, a screen reader therefore
 * announces only the latest event. An element that was moved to a frame or to another window uses the status text of its new document.
 */

/** The attribute by which every copy of this file finds the existing status text. */
const MARK = 'data-nextpixel-status';

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Announces text politely. The next call within `delay` milliseconds replaces the text.
 *
 * @param {string} text
 * @param {number} [delay]  milliseconds
 * @param {Document} [page]
 */
export function announce(text, delay = 150, page = document) {
  let region = /** @type {HTMLElement | null} */ (page.querySelector(`[${MARK}]`));
  if (!region) {
    region = page.createElement('div');
    region.setAttribute(MARK, '');
    region.setAttribute('role', 'status');
    region.setAttribute('aria-live', 'polite');
    Object.assign(region.style, {
      position: 'absolute',
      width: '1px',
      height: '1px',
      margin: '-1px',
      overflow: 'hidden',
      clipPath: 'inset(50%)',
      whiteSpace: 'nowrap',
    });
    page.body.append(region);
  }
  const live = region;
  clearTimeout(timer);
  timer = setTimeout(() => {
    live.textContent = text;
  }, delay);
}
