// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Writes ONNX files, which are protocol buffers defined by onnx.proto. Only the parts that the benchmark's models need are implemented. The
 * first argument of int(), float() and bytes() is the number of the field in onnx.proto.
 */

/** Element types of TensorProto. */
export const FLOAT = 1,
  INT8 = 3,
  INT32 = 6,
  INT64 = 7;

/** A protocol-buffer message under construction: a list of byte arrays that are joined at the end. */
class Message {
  /** @type {Uint8Array[]} */
  pieces = [];
  length = 0;

  /** @param {Uint8Array} bytes */
  add(bytes) {
    this.pieces.push(bytes);
    this.length += bytes.length;
    return this;
  }

  /** @param {number} value  an integer; a negative integer takes ten bytes, as in all 64-bit fields */
  varint(value) {
    const bytes = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    do {
      bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
      rest >>= 7n;
    } while (rest > 0n);
    return this.add(Uint8Array.from(bytes));
  }

  /** @param {number} field @param {number} value */
  int(field, value) {
    return this.varint(field << 3).varint(value);
  }

  /** @param {number} field @param {number} value */
  float(field, value) {
    return this.varint((field << 3) | 5).add(new Uint8Array(Float32Array.of(value).buffer));
  }

  /** @param {number} field @param {Uint8Array | string | Message} content */
  bytes(field, content) {
    const body = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    this.varint((field << 3) | 2).varint(body.length);
    if (!(body instanceof Message)) return this.add(body);
    for (const piece of body.pieces) this.add(piece);
    return this;
  }

  /** @returns {Uint8Array<ArrayBuffer>} */
  join() {
    const whole = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }
}

/** A computation graph. Numbers are written as they are in memory: little-endian on every machine that runs a browser. */
export class Graph {
  #graph = new Message();
  #names = 0;

  /** @param {string} kind */
  #name(kind) {
    return `${kind}_${this.#names++}`;
  }

  /** @param {string} name @param {number} type @param {(number | string)[]} shape  a string names a dimension of variable length */
  #value(name, type, shape) {
    const dimensions = new Message();
    for (const n of shape) dimensions.bytes(1, typeof n === 'string' ? new Message().bytes(2, n) : new Message().int(1, n));
    const tensor = new Message().int(1, type).bytes(2, dimensions);
    return new Message().bytes(1, name).bytes(2, new Message().bytes(1, tensor)); // ValueInfoProto { name, type { tensor_type } }
  }

  /** @param {string} name @param {number} type @param {(number | string)[]} shape */
  input(name, type, shape) {
    this.#graph.bytes(11, this.#value(name, type, shape));
  }

  /** @param {string} name @param {number} type @param {(number | string)[]} shape */
  output(name, type, shape) {
    this.#graph.bytes(12, this.#value(name, type, shape));
  }

  /** @param {number} type @param {number[]} shape @param {Float32Array | Int8Array | BigInt64Array} data */
  #constant(type, shape, data) {
    const name = this.#name('constant');
    const tensor = new Message();
    for (const n of shape) tensor.int(1, n);
    tensor
      .int(2, type)
      .bytes(8, name)
      .bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    this.#graph.bytes(5, tensor);
    return name;
  }

  /** @param {number[]} shape @param {Float32Array} data @returns {string} name of the tensor */
  floats(shape, data) {
    return this.#constant(FLOAT, shape, data);
  }

  /** @param {number[]} shape @param {Int8Array} data @returns {string} name of the tensor */
  int8(shape, data) {
    return this.#constant(INT8, shape, data);
  }

  /** @param {number[]} shape @param {number[]} data @returns {string} name of the tensor */
  int64(shape, data) {
    return this.#constant(INT64, shape, BigInt64Array.from(data, BigInt));
  }

  /**
   * @param {string} operator
   * @param {string[]} inputs
   * @param {Record<string, number>} [attributes]  integers are written as integers, other numbers as floats
   * @param {number | string[]} [outputs]  number of outputs, or their names
   * @param {string} [domain]
   * @returns {string[]} names of the outputs
   */
  node(operator, inputs, attributes = {}, outputs = 1, domain = '') {
    const names = typeof outputs === 'number' ? Array.from({ length: outputs }, () => this.#name(operator)) : outputs;
    const node = new Message();
    for (const name of inputs) node.bytes(1, name);
    for (const name of names) node.bytes(2, name);
    node.bytes(3, this.#name('node')).bytes(4, operator);
    for (const [name, value] of Object.entries(attributes)) {
      const attribute = new Message().bytes(1, name);
      if (Number.isInteger(value)) attribute.int(3, value).int(20, 2);
      else attribute.float(2, value).int(20, 1);
      node.bytes(5, attribute);
    }
    if (domain) node.bytes(7, domain);
    this.#graph.bytes(1, node);
    return names;
  }

  /** Returns the bytes of the file, a ModelProto message. */
  model() {
    this.#graph.bytes(2, 'step');
    const model = new Message().int(1, 8).bytes(2, 'nextpixel benchmark').bytes(7, this.#graph); // 8: ir_version
    model.bytes(8, new Message().bytes(1, '').int(2, 17)); // opset_import
    return model.bytes(8, new Message().bytes(1, 'com.microsoft').int(2, 1)).join();
  }
}
