// SPDX-License-Identifier: MIT
// A small weight file as the page needs it: its metadata, and its tensors as matrices of single-precision numbers. The engine has the real, checked reader.
// @ts-check
import { Matrix } from './graph.js';

/** Bytes of a metadata value by its type, and how it is read. @type {Record<number, [number, (view: DataView, at: number) => unknown]>} */
const VALUES = {
  0: [1, (view, at) => view.getUint8(at)], 4: [4, (view, at) => view.getUint32(at, true)], 5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)], 7: [1, (view, at) => view.getUint8(at) !== 0],
};
const [STRING, ARRAY, F32, ALIGNMENT] = [8, 9, 0, 32];

/** @typedef {{ facts: Map<string, any>, tensors: Map<string, Matrix> }} WeightFile  a vector is a matrix of one row */

/** @param {ArrayBuffer} buffer a GGUF file @returns {WeightFile} */
export function readFile(buffer) {
  const view = new DataView(buffer);
  let at = 0;
  const u32 = () => { at += 4; return view.getUint32(at - 4, true); };
  const u64 = () => { at += 8; return Number(view.getBigUint64(at - 8, true)); };
  const text = () => { const length = u64(); at += length; return new TextDecoder().decode(new Uint8Array(buffer, at - length, length)); };
  /** @param {number} type @returns {unknown} */
  function value(type) {
    if (type === STRING) return text();
    if (type === ARRAY) {
      const inner = u32();
      return Array.from({ length: u64() }, () => value(inner));
    }
    if (!VALUES[type]) throw new Error(`Metadata of type ${type} cannot be shown here.`);
    const [size, read] = VALUES[type];
    at += size;
    return read(view, at - size);
  }
  if (u32() !== 0x46554747) throw new Error('This is no GGUF file.');
  at += 4; // version
  const [count, keys] = [u64(), u64()];
  const facts = new Map(Array.from({ length: keys }, () => /** @type {[string, unknown]} */ ([text(), value(u32())])));
  const places = Array.from({ length: count }, () => ({ name: text(), shape: Array.from({ length: u32() }, u64), type: u32(), offset: u64() }));
  const data = Math.ceil(at / ALIGNMENT) * ALIGNMENT;
  const tensors = new Map(places.map(({ name, shape: [cols, rows = 1], type, offset }) => {
    if (type !== F32) throw new Error(`${name} is not in single precision: its numbers cannot be shown as they are.`);
    const numbers = Float32Array.from({ length: rows * cols }, (_, i) => view.getFloat32(data + offset + 4 * i, true));
    return [name, new Matrix(name, rows, cols, { op: 'file', of: [] }, numbers)];
  }));
  return { facts, tensors };
}
