// SPDX-License-Identifier: MIT
// @ts-check

/** Opens a model in an instance, from a whole file or from the head of a file whose weights are fed afterwards. */

import { NX_MORE } from './abi.js';
import { readStruct } from './layout.js';
import { statusError } from './status-error.js';

/** @import { Instance } from './instance.js' */

/** The name of the failed action in error messages about a file. Files of another format do not get here, because sniff.js has already
 * rejected them. */
const OPENING = 'Opening the weight file';

/** Thrown by beginModel() if the head is incomplete. */
export const TOO_SHORT = new Error('the head is too short');

/** Minimum size, in bytes, of the buffer that collects weights before they go to the engine. */
const FEED_BYTES = 1 << 20;

/** @param {Instance} instance @param {number} status  result of a call that reports an nx_problem */
function check(instance, status) {
  if (status === NX_MORE) throw TOO_SHORT;
  if (status < 0) throw statusError(status, OPENING, instance.problem());
}

/**
 * @param {Instance} instance
 * @param {Uint8Array} file
 * @returns {number} address of the model
 */
export function openModel(instance, file) {
  const {
    at: { problem, result },
  } = instance;
  // The model's size is known only after its file has been read, so the block for the file is allocated first. Later runs use the memory of
  // this block after it is freed.
  const first = instance.take(file.length);
  instance.bytes.set(file, first);
  check(instance, instance.call('nx_model_size', first, file.length, result, problem));
  const modelBytes = instance.word(result);
  const model = instance.take(modelBytes);
  check(instance, instance.call('nx_model_open', model, modelBytes, first, file.length, result, problem));
  instance.heap.free(first);
  return instance.word(result);
}

/**
 * @param {Instance} instance
 * @param {Uint8Array} head
 * @param {number} fileBytes  size of the whole file
 * @returns {{ model: number, feed: Feed }}
 */
export function beginModel(instance, head, fileBytes) {
  const {
    at: { problem, result },
  } = instance;
  const first = instance.take(head.length);
  instance.bytes.set(head, first);
  check(instance, instance.call('nx_model_head_size', first, head.length, fileBytes, result, problem));
  const modelBytes = instance.word(result);
  instance.heap.free(first);
  const block = instance.take(modelBytes);
  const above = instance.take(head.length);
  instance.bytes.set(head, above);
  check(instance, instance.call('nx_model_begin', block, modelBytes, above, head.length, fileBytes, result, problem));
  instance.heap.free(above);
  const model = instance.word(result);
  return { model, feed: new Feed(instance, model) };
}

/** Receives the weights of a model as they arrive, and passes them on to the engine. */
export class Feed {
  #instance;
  #model;
  /** The tensors in the order of the file. @type {{ index: number, offset: number, rows: number, rowBytes: number }[]} */
  #tensors;
  /** The index of the tensor whose rows come next, and the index of the next row. */
  #tensor = 0;
  #row = 0;
  /** The number of filled bytes in the buffer at `#address`; the buffer has `#room` bytes. */
  #held = 0;
  #room;
  #address;
  /** The offset of the next byte of the file. */
  at;

  /** @param {Instance} instance @param {number} model */
  constructor(instance, model) {
    this.#instance = instance;
    this.#model = model;
    const { struct } = instance.at;
    const count = instance.call('nx_model_tensors', model) >>> 0;
    this.#tensors = Array.from({ length: count }, (_, index) => {
      instance.call('nx_model_tensor', model, index, struct);
      const { offset, rows, row_bytes: rowBytes } = readStruct(instance.view, struct, 'nx_tensor_info');
      return { index, offset, rows, rowBytes };
    }).filter(({ rowBytes }) => rowBytes > 0);
    this.at = this.#tensors[0].offset;
    this.#room = Math.max(FEED_BYTES, ...this.#tensors.map(({ rowBytes }) => rowBytes));
    this.#address = instance.take(this.#room);
  }

  /**
   * Takes the next bytes of the file, beginning at `at`.
   *
   * @param {Uint8Array} bytes
   * @returns {boolean} whether the model is complete
   */
  take(bytes) {
    for (let from = 0; from < bytes.length; ) {
      const { offset, rows, rowBytes } = this.#tensors[this.#tensor];
      if (this.at < offset) {
        // padding
        const skipped = Math.min(offset - this.at, bytes.length - from);
        this.at += skipped;
        from += skipped;
        continue;
      }
      const wanted = Math.min(this.#room - (this.#room % rowBytes), (rows - this.#row) * rowBytes) - this.#held;
      const taken = bytes.subarray(from, from + wanted);
      this.#instance.bytes.set(taken, this.#address + this.#held);
      this.at += taken.length;
      this.#held += taken.length;
      from += taken.length;
      if (taken.length === wanted && this.#handOn()) return true;
    }
    return false;
  }

  /** Passes the waiting rows on to the engine. @returns {boolean} whether the model is complete */
  #handOn() {
    const instance = this.#instance;
    const { rows, rowBytes, index } = this.#tensors[this.#tensor];
    const count = this.#held / rowBytes;
    const status = instance.call('nx_model_feed', this.#model, index, this.#row, count, this.#address, instance.at.problem);
    if (status < 0) throw statusError(status, OPENING, instance.problem());
    this.#held = 0;
    this.#row += count;
    if (this.#row === rows) {
      this.#row = 0;
      this.#tensor++;
    }
    if (status === NX_MORE) return false;
    instance.heap.free(this.#address);
    return true;
  }
}
