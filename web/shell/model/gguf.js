// SPDX-License-Identifier: MIT
// Reads the values of a weight file for figures that draw these values.
// @ts-check

import { atOnce } from '../../lib/base/turns.js';
import { lookupOf } from '../../lib/gguf/metadata.js';
import { TENSOR_TYPES } from '../../lib/gguf/tensor-types.js';
import { Walk, headOf } from '../../lib/gguf/walk.js';
import { weightBytes } from './weight-bytes.js';

/** GGUF ids of the supported tensor types. */
export const [F32, F16, Q4_0, Q8_0] = [0, 1, 2, 8];
/** Number of weights in a block of Q4_0 or Q8_0. A block starts with its scale. */
const BLOCK = 32;

/** @param {number} bits bits of a half-precision number */
function half(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/**
 * For each tensor type, a function that reads value i of a tensor. The tensor's data start at byte `from`.
 * @type {Record<number, (view: DataView, from: number, i: number) => number>}
 */
const NUMBERS = {
  [F32]: (view, from, i) => view.getFloat32(from + 4 * i, true),
  [F16]: (view, from, i) => half(view.getUint16(from + 2 * i, true)),
  [Q4_0](view, from, i) {
    const block = from + Math.floor(i / BLOCK) * (2 + BLOCK / 2);
    const pair = view.getUint8(block + 2 + (i % (BLOCK / 2))); // the low four bits of all bytes hold the first half of a block
    return half(view.getUint16(block, true)) * ((i % BLOCK < BLOCK / 2 ? pair & 15 : pair >> 4) - 8);
  },
  [Q8_0](view, from, i) {
    const block = from + Math.floor(i / BLOCK) * (2 + BLOCK);
    return half(view.getUint16(block, true)) * view.getInt8(block + 2 + (i % BLOCK));
  },
};

/** @type {Map<string, Promise<ArrayBuffer>>} */
const files = new Map();

/** Fetches the bytes of a weight file, only once for all figures. @param {string} address */
export function fileBytes(address) {
  const known = files.get(address);
  if (known) return known;
  const coming = weightBytes(address);
  files.set(address, coming);
  coming.catch(() => files.delete(address));
  return coming;
}

/**
 * @typedef {{ at: number, shape: number[], type: number, values: Float32Array }} Tensor  at: byte offset in the file; shape: the first
 * dimension is contiguous in memory
 */

/**
 * Reads a GGUF file.
 *
 * @param {ArrayBuffer} buffer
 * @returns {{ facts: { get: (key: string) => any }, names: string[], tensor: (name: string, part?: { from: number, count: number }) => Tensor }}  facts:
 *   the metadata; part: the range of values to read
 */
export function readGguf(buffer) {
  const bytes = new Uint8Array(buffer);
  const { entries, tensors, data } = atOnce(headOf(new Walk(bytes)));
  const view = new DataView(buffer);
  return {
    facts: lookupOf(entries),
    names: tensors.map(({ name }) => name),
    tensor(name, part) {
      const entry = tensors.find((one) => one.name === name);
      if (!entry) throw new Error(`The file has no tensor ${name}.`);
      const { dims: shape, type, offset } = entry;
      const number = NUMBERS[type];
      if (!number) throw new Error(`This page cannot read tensors of type ${TENSOR_TYPES[type]?.[0] ?? type}.`);
      const { from, count } = part ?? { from: 0, count: shape.reduce((product, n) => product * n, 1) };
      return {
        at: data + offset,
        shape,
        type,
        values: Float32Array.from({ length: count }, (_, i) => number(view, data + offset, from + i)),
      };
    },
  };
}
