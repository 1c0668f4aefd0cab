// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Evaluates a media query, for example whether the visitor prefers reduced motion. Where media queries are not supported, as in jsdom,
 * `matches` is false in the result.
 *
 * @param {string} query
 * @returns {Pick<MediaQueryList, 'matches' | 'addEventListener' | 'removeEventListener'>}
 */
export function media(query) {
  return typeof matchMedia === 'function' ? matchMedia(query) : { matches: false, addEventListener() {}, removeEventListener() {} };
}
