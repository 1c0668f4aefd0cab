// SPDX-License-Identifier: MIT
// @ts-check

/** Makes weight files of models that are larger than those in the golden files. */

import { readFileSync } from 'node:fs';

import { F32, Q4_0, readGGUF, writeGGUF } from '../js/gguf.js';
import { GOLDEN } from '../js/helpers.js';

/** @param {string} name */
const golden = (name) => readGGUF(new Uint8Array(readFileSync(`${GOLDEN}${name}.gguf`)));

/** Returns the metadata of a golden file. @param {string} name */
export const metadataOf = (name) => golden(name).metadata;

/** Returns arbitrary ids that are less than `below`. @param {number} length @param {number} below */
export const ids = (length, below) => Uint32Array.from({ length }, (_, i) => (i * 7919) % below);
export const PIXELS = 256 * 256;

/** @param {unknown} value */
const typed = (value) => {
  if (Array.isArray(value)) return ['array', typeof value[0] === 'string' ? 'string' : 'u32', value];
  return typeof value === 'string' ? ['string', value] : [Number.isInteger(value) ? 'u32' : 'f32', value];
};

/**
 * Copies a golden file, and changes sizes in its metadata. `shapes` gives the new shapes of the tensors that depend on these sizes.
 * @param {string} name
 * @param {Record<string, any>} sizes
 * @param {Record<string, number[]>} shapes
 */
export function grown(name, sizes, shapes) {
  const { metadata, tensors } = golden(name);
  for (const [tensor, shape] of Object.entries(shapes)) {
    const length = shape.reduce((a, b) => a * b);
    tensors[tensor] = { shape, type: 0, data: Float32Array.from({ length }, (_, i) => ((i * 37) % 101) / 1e4 - 0.005) };
  }
  return writeGGUF({
    metadata: Object.fromEntries(Object.entries({ ...metadata, ...sizes }).map(([key, value]) => [key, typed(value)])),
    tensors,
  });
}

/**
 * Returns a file with only the given tensors; large tensors are quantised (Q4_0).
 * @param {string} name  golden file from which all other keys are copied
 * @param {Record<string, any>} sizes
 * @param {Record<string, number[]>} shapes
 */
export function large(name, sizes, shapes) {
  const metadata = metadataOf(name);
  const all = Object.fromEntries(Object.entries({ ...metadata, ...sizes }).map(([key, value]) => [key, typed(value)]));
  const tensors = Object.fromEntries(
    Object.entries(shapes).map(([tensor, shape]) => {
      const length = shape.reduce((a, b) => a * b);
      if (length < 1 << 18)
        return [tensor, { shape, type: F32, data: new Float32Array(length).map((_, i) => ((i * 37) % 101) / 1e4 - 0.005) }];
      const data = new Uint8Array((length / 32) * 18).fill(0x5a);
      for (let at = 0; at < data.length; at += 18) data.set([0x00, 0x14], at); // the scale, 0.001
      return [tensor, { shape, type: Q4_0, data }];
    }),
  );
  return writeGGUF({ metadata: all, tensors });
}

/** Returns the shapes of the tensors in n equal blocks. @param {number} n @param {string} stack @param {Record<string, number[]>} each */
export const blocks = (n, stack, each) =>
  Object.fromEntries(
    Array.from({ length: n }, (_, i) => Object.entries(each).map(([name, shape]) => [`${stack}blk.${i}.${name}`, shape])).flat(),
  );

/** Returns the shapes of a linear map and its bias. @param {string} name @param {number} rows @param {number} columns */
export const linear = (name, rows, columns) => ({ [`${name}.weight`]: [rows, columns], [`${name}.bias`]: [rows] });
/** @param {string} name @param {number} d */
export const norm = (name, d) => ({ [`${name}.weight`]: [d], [`${name}.bias`]: [d] });
