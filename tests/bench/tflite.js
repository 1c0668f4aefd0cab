// SPDX-License-Identifier: MIT
// @ts-check

/** Writes models for LiteRT, whose files are FlatBuffers. A model consists of the matrix products of the decoder W1 (models.js), in
 * order. */

import { normal } from './random.js';

/** A part of the file, which is written after all parts that point to it.
 * @typedef {string | { table: (Field | undefined)[] } | { list: Part[] } | { numbers: Int32Array | Float32Array | BigInt64Array | Int8Array | Uint8Array, align: number }} Part */
/**
 * A field of a table: a byte, a 32-bit word, or a part, which is stored as its offset.
 * @typedef {{ byte: number } | { word: number } | Part} Field
 */

/** Writes a FlatBuffer from front to back. An offset is filled in when the part that it points to is written. */
class Writer {
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** Reserves `count` bytes. The byte at offset `skip` of these bytes is aligned.
   * @param {number} count @param {number} align @param {number} [skip] */
  #room(count, align, skip = 0) {
    while ((this.#at + skip) % align) this.#at++;
    const at = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#at);
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }

  /** @param {number} at @param {number} value */
  #word(at, value) {
    this.#view.setUint32(at, value, true);
  }

  /** Writes parts, and stores the offset of each part at the given place in the file. @param {[place: number, part: Part][]} parts */
  #point(parts) {
    for (const [place, part] of parts) this.#word(place, this.#write(part) - place);
  }

  /** @param {(Field | undefined)[]} fields */
  #table(fields) {
    const head = 4 + 2 * fields.length,
      padded = head + (head % 4);
    const begin = this.#room(padded + 4 + 4 * fields.length, 4) + padded - head,
      at = begin + head; // every field takes one word, even a single byte
    this.#view.setUint16(begin, head, true);
    this.#view.setUint16(begin + 2, 4 + 4 * fields.length, true);
    this.#word(at, head); // distance back to the list of field offsets (the vtable)
    /** @type {[number, Part][]} */
    const parts = [];
    fields.forEach((field, i) => {
      if (field === undefined) return;
      const place = at + 4 + 4 * i;
      this.#view.setUint16(begin + 4 + 2 * i, place - at, true);
      if (typeof field === 'object' && 'byte' in field) this.#view.setUint8(place, field.byte);
      else if (typeof field === 'object' && 'word' in field) this.#word(place, field.word);
      else parts.push([place, field]);
    });
    this.#point(parts);
    return at;
  }

  /** @param {Part} part @returns {number} position of the part */
  #write(part) {
    if (typeof part === 'string') {
      const letters = new TextEncoder().encode(part),
        at = this.#room(4 + letters.length + 1, 4);
      this.#word(at, letters.length);
      this.#bytes.set(letters, at + 4);
      return at;
    }
    if ('table' in part) return this.#table(part.table);
    if ('list' in part) {
      const at = this.#room(4 + 4 * part.list.length, 4);
      this.#word(at, part.list.length);
      this.#point(part.list.map((one, i) => [at + 4 + 4 * i, one]));
      return at;
    }
    const { numbers, align } = part,
      at = this.#room(4 + numbers.byteLength, align, 4);
    this.#word(at, numbers.length);
    this.#bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at + 4);
    return at;
  }

  /** @param {Part} root @param {string} identifier  four letters that identify the format */
  file(root, identifier) {
    const place = this.#room(8, 8);
    this.#bytes.set(new TextEncoder().encode(identifier), place + 4);
    this.#point([[place, root]]);
    return this.#bytes.slice(0, this.#at);
  }
}

/** Codes of the format: tensor types, operators, and options of a fully connected layer. */
const FLOAT32 = 0,
  INT32 = 2,
  INT8 = 9,
  INT4 = 17,
  FULLY_CONNECTED = 9,
  SLICE = 65,
  OPTIONS = 8;

/** Returns the shapes of the matrix products of a decoder. The input of each product is the output of the previous product. One product
 * computes the queries, keys and values together; only a third of its output is the input of the next product.
 * @param {import('./models.js').Shape} shape @returns {[rows: number, columns: number][]} */
export const chainOf = ({ width, blocks, inner, values }) => [
  ...Array.from(
    { length: blocks },
    () =>
      /** @type {[number, number][]} */ ([
        [3 * width, width],
        [width, width],
        [inner, width],
        [width, inner],
      ]),
  ).flat(),
  [values, width],
];

/** Weight types, by their names in results. Each type has one scale per row. */
export const CHAIN_TYPES = Object.freeze(/** @type {const} */ (['q8', 'q4']));

/**
 * Makes a file for LiteRT that multiplies its input by a sequence of random matrices. The input tensor has shape (n, columns of the first
 * matrix). The output tensor has shape (n, rows of the last matrix). Both tensors contain floats.
 *
 * @param {[rows: number, columns: number][]} chain  sizes of the matrices, in order
 * @param {typeof CHAIN_TYPES[number]} type
 * @param {number} n  columns per call
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function chainModel(chain, type, n) {
  const random = normal(1),
    most = type === 'q8' ? 127 : 7;
  /** @type {Record<'buffers' | 'tensors' | 'operators', Part[]>} */
  // buffer 0 is empty, for tensors without data
  const { buffers, tensors, operators } = { buffers: [{ table: [] }], tensors: [], operators: [] };
  /** @param {number[]} shape @param {number} kind @param {Part} [data] @param {Float32Array} [scales] @returns {number} */
  const tensor = (shape, kind, data, scales) => {
    if (data) buffers.push({ table: [data] });
    const zeros = scales && new BigInt64Array(scales.length);
    tensors.push({
      table: [
        { numbers: Int32Array.from(shape), align: 4 },
        { byte: kind },
        { word: data ? buffers.length - 1 : 0 },
        `t${tensors.length}`,
        scales && zeros && { table: [undefined, undefined, { numbers: scales, align: 4 }, { numbers: zeros, align: 8 }] },
      ],
    });
    return tensors.length - 1;
  };
  /** @param {number} code @param {number[]} from @param {number} to @param {...Field} options */
  const operator = (code, from, to, ...options) =>
    void operators.push({
      table: [{ word: code }, { numbers: Int32Array.from(from), align: 4 }, { numbers: Int32Array.of(to), align: 4 }, ...options],
    });
  /** @param {number[]} numbers */
  const constant = (numbers) => tensor([numbers.length], INT32, { numbers: new Uint8Array(Int32Array.from(numbers).buffer), align: 16 });
  let at = tensor([n, chain[0][1]], FLOAT32),
    width = chain[0][1];
  for (const [rows, columns] of chain) {
    if (width > columns) {
      const part = tensor([n, columns], FLOAT32);
      operator(1, [at, constant([0, 0]), constant([n, columns])], part);
      at = part;
    }
    const numbers = Int8Array.from({ length: rows * columns }, () => Math.max(-most, Math.min(most, Math.round((random() * most) / 3))));
    const packed =
      type === 'q8'
        ? numbers
        : Uint8Array.from({ length: numbers.length / 2 }, (_, i) => (numbers[2 * i] & 15) | (numbers[2 * i + 1] << 4));
    const scales = new Float32Array(rows).fill(3 / most / Math.sqrt(columns));
    const weights = tensor([rows, columns], type === 'q8' ? INT8 : INT4, { numbers: new Uint8Array(packed.buffer), align: 16 }, scales);
    const out = tensor([n, rows], FLOAT32);
    operator(0, [at, weights, -1], out, { byte: OPTIONS }, { table: [] });
    [at, width] = [out, rows];
  }
  /** @param {number} code @param {number} version */
  const code = (code, version) => ({ table: [{ byte: code }, undefined, { word: version }, { word: code }] });
  const graph = {
    table: [
      { list: tensors },
      { numbers: Int32Array.of(0), align: 4 },
      { numbers: Int32Array.of(at), align: 4 },
      { list: operators },
      'main',
    ],
  };
  return new Writer().file(
    { table: [{ word: 3 }, { list: [code(FULLY_CONNECTED, 12), code(SLICE, 1)] }, { list: [graph] }, 'products', { list: buffers }] },
    'TFL3',
  );
}
