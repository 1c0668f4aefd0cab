// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns a deep copy of arrays, typed arrays and plain objects. structuredClone() would do the same, but Jest's jsdom environment does not
 * have it.
 *
 * @type {<T>(value: T) => T}
 */
export const copyOf = (/** @type {any} */ value) =>
  Array.isArray(value)
    ? value.map(copyOf)
    : ArrayBuffer.isView(value)
      ? /** @type {Uint8Array} */ (value).slice()
      : Object(value) === value
        ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]))
        : value;
