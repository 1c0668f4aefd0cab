// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Asks a page about its visitor's wishes; where it cannot be asked, as in jsdom, there are none.
 *
 * @param {string} query
 * @returns {Pick<MediaQueryList, 'matches' | 'addEventListener' | 'removeEventListener'>}
 */
export function media(query) {
  return typeof matchMedia === 'function' ? matchMedia(query) : { matches: false, addEventListener() {}, removeEventListener() {} };
}
