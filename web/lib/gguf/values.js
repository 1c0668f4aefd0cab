// SPDX-License-Identifier: MIT
// @ts-check

/** Types of the values in a GGUF file's metadata. */

/**
 * One entry of the metadata. Its bytes were checked, by the C library or by walk.js: texts are within them.
 *
 * @typedef {{ key: string, type: number, itemType: number, count: number, value: Uint8Array }} Entry
 */

/**
 * Numbers by type: size in bytes, and how to read one. A 64-bit number beyond 2^53 is rounded: it is too large for any key. @type
 * {Record<number, [bytes: number, read: (view: DataView, at: number) => number | boolean]>}
 */
export const NUMBERS = {
  0: [1, (view, at) => view.getUint8(at)],
  1: [1, (view, at) => view.getInt8(at)],
  2: [2, (view, at) => view.getUint16(at, true)],
  3: [2, (view, at) => view.getInt16(at, true)],
  4: [4, (view, at) => view.getUint32(at, true)],
  5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)],
  7: [1, (view, at) => view.getUint8(at) !== 0],
  10: [8, (view, at) => Number(view.getBigUint64(at, true))],
  11: [8, (view, at) => Number(view.getBigInt64(at, true))],
  12: [8, (view, at) => view.getFloat64(at, true)],
};
export const STRING = 8;
export const ARRAY = 9;
