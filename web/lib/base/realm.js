// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The name of the class of an object, also of one of another realm: an iframe, a window of a test runner. There `instanceof` returns false.
 *
 * @param {unknown} value
 */
export function classOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}
