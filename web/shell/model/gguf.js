// SPDX-License-Identifier: MIT
// A weight file read in the page, for pictures of its numbers: metadata and tensors. The engine has the real, checked reader.
// @ts-check

/** Bytes of a metadata value by its type, and how it is read; those of eight bytes as numbers. @type {Record<number, [bytes: number, (view: DataView, at: number) => unknown]>} */
const VALUES = {
  0: [1, (view, at) => view.getUint8(at)], 1: [1, (view, at) => view.getInt8(at)],
  2: [2, (view, at) => view.getUint16(at, true)], 3: [2, (view, at) => view.getInt16(at, true)],
  4: [4, (view, at) => view.getUint32(at, true)], 5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)], 7: [1, (view, at) => view.getUint8(at) !== 0],
  10: [8, (view, at) => Number(view.getBigUint64(at, true))], 11: [8, (view, at) => Number(view.getBigInt64(at, true))],
  12: [8, (view, at) => view.getFloat64(at, true)],
};
const [STRING, ARRAY, ALIGNMENT] = [8, 9, 32];
/** Types of tensors. */
export const [F32, F16, Q4_0, Q8_0] = [0, 1, 2, 8];
/** Weights of a block of Q4_0 and of Q8_0, after a scale. */
const BLOCK = 32;

/** @param {number} bits of a half-precision number */
function half(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/** The number at place i of a tensor that begins at `from`, by its type. @type {Record<number, (view: DataView, from: number, i: number) => number>} */
const NUMBERS = {
  [F32]: (view, from, i) => view.getFloat32(from + 4 * i, true),
  [F16]: (view, from, i) => half(view.getUint16(from + 2 * i, true)),
  [Q4_0](view, from, i) {
    const block = from + Math.floor(i / BLOCK) * (2 + BLOCK / 2);
    const pair = view.getUint8(block + 2 + i % (BLOCK / 2)); // the first half of a block in the low bits
    return half(view.getUint16(block, true)) * ((i % BLOCK < BLOCK / 2 ? pair & 15 : pair >> 4) - 8);
  },
  [Q8_0](view, from, i) {
    const block = from + Math.floor(i / BLOCK) * (2 + BLOCK);
    return half(view.getUint16(block, true)) * view.getInt8(block + 2 + i % BLOCK);
  },
};

/** @type {Map<string, Promise<ArrayBuffer>>} */
const files = new Map();

/** The bytes of a file, which the browser has already. @param {string} address */
export function fileBytes(address) {
  const known = files.get(address);
  if (known) return known;
  const coming = fetch(address).then((response) => {
    if (!response.ok) throw new Error(`The weights are not there: ${response.status}`);
    return response.arrayBuffer();
  });
  files.set(address, coming);
  coming.catch(() => files.delete(address));
  return coming;
}

/** @typedef {{ at: number, shape: number[], type: number, values: Float32Array }} Tensor  at: where it begins in the file; the first number of the shape is that of neighbours in memory */

/**
 * @param {ArrayBuffer} buffer a GGUF file
 * @returns {{ facts: Map<string, any>, names: string[], tensor: (name: string, part?: { from: number, count: number }) => Tensor }}  facts: the metadata; part: of the numbers
 */
export function readGguf(buffer) {
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
    const [size, read] = VALUES[type];
    at += size;
    return read(view, at - size);
  }
  if (u32() !== 0x46554747) throw new Error('This is no GGUF file.');
  at += 4; // version
  const [count, keys] = [u64(), u64()];
  const facts = new Map(Array.from({ length: keys }, () => /** @type {[string, unknown]} */ ([text(), value(u32())])));
  const entries = new Map(Array.from({ length: count }, () => /** @type {const} */ ([text(), { shape: Array.from({ length: u32() }, u64), type: u32(), offset: u64() }])));
  const data = Math.ceil(at / ALIGNMENT) * ALIGNMENT;
  return {
    facts, names: [...entries.keys()],
    tensor(name, part) {
      const entry = entries.get(name);
      if (!entry) throw new Error(`The file has no tensor ${name}.`);
      const { shape, type, offset } = entry;
      const number = NUMBERS[type];
      if (!number) throw new Error(`Tensors of type ${type} cannot be shown here.`);
      const { from, count } = part ?? { from: 0, count: shape.reduce((product, n) => product * n, 1) };
      return { at: data + offset, shape, type, values: Float32Array.from({ length: count }, (_, i) => number(view, data + offset, from + i)) };
    },
  };
}
