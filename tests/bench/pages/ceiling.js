// SPDX-License-Identifier: MIT
// @ts-check

/** Measures the loops of tests/bench/ceiling.c, and both the kernels and the upper bounds of tests/bench/kernels.c. */

import { bytesOf, turn } from './common.js';

const MB = 2 ** 20;
const PAGE = 65536;
/** Size of the weights of the dot product. The weights fit in the second-level cache of every machine. */
const DOT_BYTES = MB / 4;

/** @param {{ wasm: string, most: number }} options  most: the maximum for the argument `megabytes` of stream() */
export async function start({ wasm, most: megabytes }) {
  const module = await WebAssembly.compile(await bytesOf(wasm));
  const exports = /** @type {any} */ (new WebAssembly.Instance(module, {}).exports);
  const at = Math.ceil(exports.__heap_base.value / 128) * 128;
  const most = megabytes * MB;
  exports.memory.grow(Math.ceil((at + most) / PAGE));
  // Writes the memory first. The system maps all unwritten memory to one physical page of zeros, so reads of unwritten memory would come
  // from the first-level cache.
  new Uint8Array(exports.memory.buffer, at, most).fill(1);
  const times = 64;
  /** @param {(...values: number[]) => number} dot @param {number} columns */
  const rate = async (dot, columns) =>
    1 /
    (1e6 *
      (await turn(DOT_BYTES * times * columns, () => {
        const start = performance.now();
        dot(at, DOT_BYTES, times);
        return performance.now() - start;
      })));
  return {
    /** one() and four() return billions of multiply-adds per second. one() multiplies the weights by one column; four() multiplies them by
     * four columns. */
    one: () => rate(exports.dot_one, 1),
    four: () => rate(exports.dot_four, 4),
    /** Returns the speed in billions of bytes per second. @param {{ megabytes: number }} size */
    async stream({ megabytes: size }) {
      const bytes = size * MB;
      return (
        1 /
        (1e6 *
          (await turn(bytes, () => {
            const start = performance.now();
            exports.stream(at, bytes);
            return performance.now() - start;
          })))
      );
    },
  };
}

/**
 * Prepares one matrix product per shape. tests/bench/products.c computes the products.
 *
 * @param {{ wasm: string, shapes: [rows: number, columns: number][], four?: boolean }} options  four: whether the weights have 4 bits
 */
export async function startProducts({ wasm, shapes, four = false }) {
  const module = await WebAssembly.compile(await bytesOf(wasm));
  const { add, products } = /** @type {any} */ (new WebAssembly.Instance(module, {}).exports);
  for (const [rows, columns] of shapes)
    if (!add(rows, columns, four)) throw new Error(`not enough memory for a product of ${rows} x ${columns}`);
  return {
    /** Returns the total time of all products in milliseconds. @param {{ times?: number, columns?: number }} work */
    products: ({ times = 1000, columns = 1 }) =>
      turn(times, () => {
        const start = performance.now();
        products(times, columns);
        return performance.now() - start;
      }),
  };
}

/**
 * Starts the convolutions of tests/bench/products.c.
 *
 * @param {{ wasm: string, shapes: [rows: number, channels: number, side: number][] }} options
 */
export async function startConvolutions({ wasm, shapes }) {
  const module = await WebAssembly.compile(await bytesOf(wasm));
  const { add_convolution: add, convolutions } = /** @type {any} */ (new WebAssembly.Instance(module, {}).exports);
  for (const shape of shapes) if (!add(...shape)) throw new Error(`not enough memory for a convolution of ${shape.join(', ')}`);
  const times = 4;
  return {
    /** Returns the total time of all convolutions in milliseconds. */
    convolutions: () =>
      turn(times, () => {
        const start = performance.now();
        convolutions(times);
        return performance.now() - start;
      }),
  };
}

/** @param {{ wasm: string }} options */
export async function startKernels({ wasm }) {
  const module = await WebAssembly.compile(await bytesOf(wasm));
  const exports = /** @type {any} */ (new WebAssembly.Instance(module, {}).exports);
  /** @param {string} name @param {number} work  units of work per call @param {number} times */
  const rate = async (name, work, times) =>
    1 /
    (1e6 *
      (await turn(work * times, () => {
        const start = performance.now();
        exports[name](times);
        return performance.now() - start;
      })));
  return {
    /** Returns the speed in billions of numbers per second. */
    gates: () => rate('gate', exports.gate_numbers(), 2000),
    gatesCeiling: () => rate('gate_ceiling', exports.gate_numbers(), 2000),
    gru: () => rate('gru', exports.gru_numbers(), 2000),
    gruCeiling: () => rate('gru_ceiling', exports.gru_numbers(), 2000),
    lstm: () => rate('lstm', exports.lstm_numbers(), 2000),
    lstmCeiling: () => rate('lstm_ceiling', exports.lstm_numbers(), 2000),
    /** Returns the speed in billions of bytes per second. */
    queue: () => rate('gather', exports.gather_bytes(), 100_000),
    queueCeiling: () => rate('gather_ceiling', exports.gather_bytes(), 100_000),
    patches: () => rate('gather_patch', exports.patch_bytes(), 100_000),
    patchesCeiling: () => rate('gather_patch_ceiling', exports.patch_bytes(), 100_000),
  };
}
