// SPDX-License-Identifier: MIT
// @ts-check

import { classOf } from './realm.js';

/** Shorter arrays are copied by map(), which checks every hole of a sparse array. With 2^32 - 1 holes, map() takes minutes. */
const LONG = 2 ** 20;

/**
 * Returns a deep copy of arrays, typed arrays and plain objects. Functions, DataViews, dates and other objects are not copied but shared.
 *
 * @type {<T>(value: T) => T}
 */
export const copyOf = (/** @type {any} */ value) => {
  if (Object(value) !== value) return value;
  if (ArrayBuffer.isView(value) && 'length' in value) return Uint8Array.prototype.slice.call(value); // slice() of a Node Buffer does not copy
  if (!/^(Array|Object)$/.test(classOf(value))) return value;
  if (Array.isArray(value) && value.length < LONG) return value.map((part) => copyOf(part));
  const parts = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]));
  return Array.isArray(value) ? Object.assign(Array(value.length), parts) : parts;
};
