// SPDX-License-Identifier: MIT
// @ts-check

import { classOf } from './realm.js';

/** Lists of this length and more may consist of holes, which map() would visit: for 2^32 - 1 it takes minutes. */
const LONG = 2 ** 20;

/**
 * Returns a deep copy of arrays, typed arrays and objects, which become plain ones. Functions, DataViews, dates and the like are kept.
 * structuredClone() refuses functions, and Jest's jsdom environment does not have it.
 *
 * @type {<T>(value: T) => T}
 */
export const copyOf = (/** @type {any} */ value) => {
  if (Object(value) !== value) return value;
  if (ArrayBuffer.isView(value) && 'length' in value) return Uint8Array.prototype.slice.call(value); // a Buffer's slice() is no copy
  if (!/^(Array|Object)$/.test(classOf(value))) return value;
  if (Array.isArray(value) && value.length < LONG) return value.map((part) => copyOf(part));
  const parts = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]));
  return Array.isArray(value) ? Object.assign(Array(value.length), parts) : parts;
};
