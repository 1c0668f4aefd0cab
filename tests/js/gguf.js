// SPDX-License-Identifier: MIT
// @ts-check

/** A small reader and a small writer of GGUF 3 files for the tests. Unlike src/gguf.c, they check nothing. */

const TYPES = /** @type {const} */ (['u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'f32', 'bool', 'string', 'array', 'u64', 'i64', 'f64']);
/** Tensor types. */
export const F32 = 0,
  F16 = 1,
  Q4_0 = 2,
  Q8_0 = 8,
  I8 = 24,
  I32 = 26;
const ALIGNMENT = 32;

/** A typed value: `[type, value]`, or `['array', itemType, items]`. @typedef {any[]} Typed */
/** A tensor. Its shape has PyTorch's order, rows first; GGUF has the reverse order.
 * @typedef {{ shape: number[], type: number, data: any }} Tensor */

/**
 * @param {Uint8Array} file
 * @returns {{ metadata: Record<string, any>, tensors: Record<string, Tensor> }}
 */
export function readGGUF(file) {
  file = new Uint8Array(file.buffer, file.byteOffset, file.byteLength); // a real copy: slice() of a Buffer would share its memory
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let at = 0;
  const u32 = () => view.getUint32((at += 4) - 4, true);
  const u64 = () => Number(view.getBigUint64((at += 8) - 8, true));
  const text = () => {
    const length = u64();
    return new TextDecoder().decode(file.subarray(at, (at += length)));
  };
  /** @type {Record<string, () => any>} */
  const readers = {
    u8: () => view.getUint8(at++),
    i8: () => view.getInt8(at++),
    bool: () => view.getUint8(at++) !== 0,
    u16: () => view.getUint16((at += 2) - 2, true),
    i16: () => view.getInt16((at += 2) - 2, true),
    u32,
    i32: () => view.getInt32((at += 4) - 4, true),
    f32: () => view.getFloat32((at += 4) - 4, true),
    u64,
    i64: () => Number(view.getBigInt64((at += 8) - 8, true)),
    f64: () => view.getFloat64((at += 8) - 8, true),
    string: text,
    array: () => {
      const type = TYPES[u32()];
      return Array.from({ length: u64() }, () => readers[type]());
    },
  };
  if (text4(file) !== 'GGUF') throw new Error('not a GGUF file');
  at = 8;
  const tensorCount = u64();
  const metadataCount = u64();
  /** @type {Record<string, any>} */
  const metadata = {};
  for (let i = 0; i < metadataCount; i++) {
    const key = text();
    metadata[key] = readers[TYPES[u32()]]();
  }
  const heads = Array.from({ length: tensorCount }, () => ({
    name: text(),
    shape: Array.from({ length: u32() }, u64).reverse(),
    type: u32(),
    offset: u64(),
  }));
  const alignment = metadata['general.alignment'] ?? ALIGNMENT;
  const start = Math.ceil(at / alignment) * alignment;
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  for (const { name, shape, type, offset } of heads) {
    const count = shape.reduce((product, n) => product * n, 1);
    const copy = file.slice(start + offset).buffer;
    const data =
      type === F32
        ? new Float32Array(copy, 0, count)
        : type === I32
          ? new Int32Array(copy, 0, count)
          : type === I8
            ? new Int8Array(copy, 0, count)
            : new Uint8Array(copy);
    tensors[name] = { shape, type, data };
  }
  return { metadata, tensors };
}

/** @param {Uint8Array} file */
function text4(file) {
  return String.fromCharCode(...file.subarray(0, 4));
}

/**
 * @param {{ metadata: Record<string, Typed>, tensors: Record<string, Tensor> }} content  tensors of type F32
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeGGUF({ metadata, tensors }) {
  /** @type {number[]} */
  const head = [];
  const scratch = new DataView(new ArrayBuffer(8));
  /** @type {Record<string, (value: any) => void>} */
  const writers = {
    u32: (value) => (scratch.setUint32(0, value, true), put(4)),
    bool: (value) => (scratch.setUint8(0, Number(value)), put(1)),
    i32: (value) => (scratch.setInt32(0, value, true), put(4)),
    u64: (value) => (scratch.setBigUint64(0, BigInt(value), true), put(8)),
    f32: (value) => (scratch.setFloat32(0, value, true), put(4)),
    string: (value) => {
      const bytes = new TextEncoder().encode(value);
      writers.u64(bytes.length);
      for (const byte of bytes) head.push(byte); // byte by byte, because push(...bytes) would exceed the maximum number of arguments of a call
    },
  };
  /** @param {number} count */
  const put = (count) => head.push(...new Uint8Array(scratch.buffer, 0, count));

  head.push(...new TextEncoder().encode('GGUF'));
  writers.u32(3);
  writers.u64(Object.keys(tensors).length);
  writers.u64(Object.keys(metadata).length);
  for (const [key, [type, ...rest]] of Object.entries(metadata)) {
    writers.string(key);
    writers.u32(TYPES.indexOf(type));
    if (type === 'array') {
      const [itemType, items] = rest;
      writers.u32(TYPES.indexOf(itemType));
      writers.u64(items.length);
      for (const item of items) writers[itemType](item);
    } else writers[type](rest[0]);
  }
  let offset = 0;
  for (const [name, { shape, type, data }] of Object.entries(tensors)) {
    writers.string(name);
    writers.u32(shape.length);
    for (const n of [...shape].reverse()) writers.u64(n);
    writers.u32(type);
    writers.u64(offset);
    offset += Math.ceil(data.byteLength / ALIGNMENT) * ALIGNMENT;
  }
  const start = Math.ceil(head.length / ALIGNMENT) * ALIGNMENT;
  const file = new Uint8Array(start + offset);
  file.set(head);
  let at = start;
  for (const { data } of Object.values(tensors)) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += Math.ceil(data.byteLength / ALIGNMENT) * ALIGNMENT;
  }
  return file;
}
