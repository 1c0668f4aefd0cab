// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A deep copy of arrays, typed arrays and plain objects. structuredClone() would do the same, but Jest's jsdom environment does not have it.
 *
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function copyOf(value) {
  /** @type {any} */
  const given = value;
  if (Array.isArray(given)) return /** @type {any} */ (given.map(copyOf));
  if (ArrayBuffer.isView(given)) return /** @type {any} */ (given).slice();
  if (typeof given !== 'object' || given === null) return given;
  return /** @type {any} */ (Object.fromEntries(Object.entries(given).map(([name, part]) => [name, copyOf(part)])));
}
