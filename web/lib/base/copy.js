// SPDX-License-Identifier: MIT
// @ts-check

import { classOf } from './realm.js';

/**
 * Returns a deep copy of arrays, typed arrays and plain objects; functions and other objects in them are kept. structuredClone() refuses
 * functions, and Jest's jsdom environment does not have it.
 *
 * @type {<T>(value: T) => T}
 */
export const copyOf = (/** @type {any} */ value) => {
  if (ArrayBuffer.isView(value)) return /** @type {Uint8Array} */ (value).slice();
  if (!/^(Array|Object)$/.test(classOf(value))) return value;
  const parts = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]));
  return Array.isArray(value) ? Object.assign(Array(value.length), parts) : parts; // map() would visit every hole of a list of 2^32 - 1
};
