// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns whether a value is a promise of any class. `instanceof` would miss some promises: zone.js and other libraries replace the page's
 * `Promise`, while async functions return native promises.
 *
 * @param {unknown} value
 * @returns {value is Promise<any>}
 */
export const isPromise = (value) => typeof Object(value).then === 'function';
