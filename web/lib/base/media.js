// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns the result of a media query, such as a preference of the visitor; without support for media queries, as in jsdom, nothing
 * matches.
 *
 * @param {string} query
 * @returns {Pick<MediaQueryList, 'matches' | 'addEventListener' | 'removeEventListener'>}
 */
export function media(query) {
  return typeof matchMedia === 'function' ? matchMedia(query) : { matches: false, addEventListener() {}, removeEventListener() {} };
}
