// SPDX-License-Identifier: MIT
// Reads a small weight file: the metadata, and the tensors as matrices in single precision.
// @ts-check
import { F32, readGguf } from '../../shell/model/gguf.js';
import { Matrix } from './graph.js';

/** @typedef {{ facts: { get: (key: string) => any }, tensors: Map<string, Matrix> }} WeightFile  a vector is a matrix with one row */

/** @param {ArrayBuffer} buffer a GGUF file @returns {WeightFile} */
export function readFile(buffer) {
  const { facts, names, tensor } = readGguf(buffer);
  const tensors = new Map(
    names.map((name) => {
      const {
        shape: [cols, rows = 1],
        type,
        values,
      } = tensor(name);
      if (type !== F32) throw new Error(`${name} is not in single precision, so its numbers cannot be shown as they are.`);
      return [name, new Matrix(name, rows, cols, { op: 'file', of: [] }, values)];
    }),
  );
  return { facts, tensors };
}
