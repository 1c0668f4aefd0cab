// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns the name of an object's class, even for an object of another realm, such as an iframe or a window of a test runner. `instanceof`
 * returns false for objects of another realm.
 *
 * @param {unknown} value
 */
export function classOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}
