// SPDX-License-Identifier: MIT
// The tensors of a weight file, read in the page: only what a picture of them needs. The engine has the real, checked reader.
// @ts-check

/** Bytes of a metadata value by its type; 8: a string, 9: an array. @type {Record<number, number>} */
const SIZES = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
const ALIGNMENT = 32;
/** Weights of a block of Q8_0, after a scale. */
const BLOCK = 32;

/** @param {number} bits of a half-precision number */
function half(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/**
 * @param {ArrayBuffer} buffer a GGUF file
 * @param {string} wanted name of a tensor
 * @returns {{ shape: number[], values: Float32Array }} the first number of the shape is that of neighbours in memory
 */
export function readTensor(buffer, wanted) {
  const view = new DataView(buffer);
  let at = 0;
  const u32 = () => { at += 4; return view.getUint32(at - 4, true); };
  const u64 = () => { at += 8; return Number(view.getBigUint64(at - 8, true)); };
  const text = () => { const length = u64(); at += length; return new TextDecoder().decode(new Uint8Array(buffer, at - length, length)); };
  /** @param {number} type */
  function skip(type) {
    if (type === 8) text();
    else if (type === 9) {
      const inner = u32();
      for (let n = u64(); n > 0; n--) skip(inner);
    } else at += SIZES[type];
  }
  if (u32() !== 0x46554747) throw new Error('This is no GGUF file.');
  at += 4; // version
  const tensors = u64();
  for (let n = u64(); n > 0; n--) {
    text();
    skip(u32());
  }
  /** @type {{ shape: number[], type: number, offset: number } | undefined} */
  let found;
  for (let i = 0; i < tensors; i++) {
    const name = text();
    const shape = Array.from({ length: u32() }, u64);
    const [type, offset] = [u32(), u64()];
    if (name === wanted) found = { shape, type, offset };
  }
  if (!found) throw new Error(`The file has no tensor ${wanted}.`);
  const { shape, type } = found;
  const from = Math.ceil(at / ALIGNMENT) * ALIGNMENT + found.offset;
  const count = shape.reduce((product, n) => product * n, 1);
  /** @type {Record<number, (i: number) => number>} */
  const reads = {
    0: (i) => view.getFloat32(from + 4 * i, true),
    1: (i) => half(view.getUint16(from + 2 * i, true)),
    8(i) {
      const block = from + Math.floor(i / BLOCK) * (2 + BLOCK);
      return half(view.getUint16(block, true)) * view.getInt8(block + 2 + i % BLOCK);
    },
  };
  const read = reads[type];
  if (!read) throw new Error(`Tensors of type ${type} cannot be shown here.`);
  return { shape, values: Float32Array.from({ length: count }, (_, i) => read(i)) };
}
