// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the keys that a weight file must have, and checks their types. */

import { NextPixelError } from '../base/error.js';

/** @import { Lookup } from '../gguf/metadata.js' */

/** @param {string} key @param {string} what */
const wrong = (key, what) => new NextPixelError('format', `The file is damaged or malformed: its key ${key} must be ${what}`);

/**
 * Returns an integer that the file must contain; its type may have any width.
 *
 * @param {Lookup} metadata
 * @param {string} key
 * @param {number} low
 * @param {number} high
 */
export function wholeOf(metadata, key, low, high) {
  const value = metadata.get(key);
  if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value;
  throw wrong(key, `a whole number from ${low} to ${high}`);
}

/**
 * Returns a list of strings or integers; empty if the file has no such list.
 *
 * @template {'strings' | 'whole numbers'} W
 * @param {Lookup} metadata
 * @param {string} key
 * @param {W} what
 * @returns {(W extends 'strings' ? string : number)[]}
 */
export function listOf(metadata, key, what) {
  const value = metadata.get(key);
  if (value === undefined) return [];
  const fits = (/** @type {unknown} */ one) => (what === 'strings' ? typeof one === 'string' : Number.isInteger(one));
  if (!Array.isArray(value) || !value.every(fits)) throw wrong(key, `a list of ${what}`);
  return /** @type {any} */ (value);
}
