// SPDX-License-Identifier: MIT
// @ts-check

/** The types of values in the metadata of a GGUF file. */

/**
 * One entry of the metadata. The C library or walk.js has checked that no string extends beyond the bytes of the value.
 *
 * @typedef {{ key: string, type: number, itemType: number, count: number, value: Uint8Array }} Entry
 */

/**
 * The types of numbers. Each type has its size in bytes and a function that reads a number of this type. A 64-bit number beyond 2^53 is
 * rounded; this does no harm, because no key may have a value of this size.
 * @type {Record<number, [bytes: number, read: (view: DataView, at: number) => number | boolean]>}
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
