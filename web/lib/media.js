// SPDX-License-Identifier: MIT
// @ts-check

/**
 * What a page says of its visitor's wishes; where it cannot be asked, as in jsdom, nothing ever.
 *
 * @param {string} query
 * @returns {Pick<MediaQueryList, 'matches' | 'addEventListener' | 'removeEventListener'>}
 */
export function media(query) {
  return typeof matchMedia === 'function' ? matchMedia(query) : { matches: false, addEventListener() {}, removeEventListener() {} };
}
