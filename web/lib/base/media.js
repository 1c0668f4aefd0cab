// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Reads the visitor's preferences; returns none without media queries, as in jsdom.
 *
 * @param {string} query
 * @returns {Pick<MediaQueryList, 'matches' | 'addEventListener' | 'removeEventListener'>}
 */
export function media(query) {
  return typeof matchMedia === 'function' ? matchMedia(query) : { matches: false, addEventListener() {}, removeEventListener() {} };
}
