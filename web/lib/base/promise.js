// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns whether a value is a promise, of any class: zone.js and other libraries replace the page's `Promise`, while async functions
 * return native ones.
 *
 * @param {unknown} value
 * @returns {value is Promise<any>}
 */
export const isPromise = (value) => typeof Object(value).then === 'function';
