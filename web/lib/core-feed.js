// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Opens a large weight file piece by piece, so that it never stands in memory beside its model.
 */

import { Core } from './core.js';
import { NextPixelError, statusError } from './error.js';
import { readProblem, readStruct } from './layout.js';

/** @import { Inside } from './core.js' */

const OPENING = 'Opening the weight file';
/** NX_MORE, NX_E_ARGUMENT. */
const MORE = 1;
const ARGUMENT = -1;

/** What begin() is told about a head that is none yet. */
const TOO_SHORT = new Error('the head is too short');

/** The least bytes of weights that go on their way together. */
const FEED_BYTES = 1 << 20;

/**
 * Weights on their way: `at` is the next byte of the file, `held` bytes of the tensor's rows from `row` on wait at `address`.
 *
 * @typedef {object} Feed
 * @property {Inside} inside
 * @property {number} model
 * @property {{ index: number, offset: number, rows: number, rowBytes: number }[]} tensors
 * @property {number} tensor
 * @property {number} row
 * @property {number} held
 * @property {number} at
 * @property {number} room
 * @property {number} address
 */

export class FedCore extends Core {
  /** What is left to feed, while that is not all. @type {Feed | undefined} */
  #feed;

  /**
   * Opens a model from the beginning of its file, without weights: feed() takes the rest, in order.
   *
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} head    the first bytes of the file; some of the weights may be among them
   * @param {number} fileBytes   of the whole file
   * @returns {FedCore | 'more' | 'whole'}  'more': the head has to be longer; 'whole': this file can only be opened whole
   */
  static begin(module, head, fileBytes) {
    try {
      return new FedCore(module, head, fileBytes);
    } catch (error) {
      if (error === TOO_SHORT) return 'more';
      if (error instanceof NextPixelError && error.status === ARGUMENT) return 'whole';
      throw error;
    }
  }

  /**
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} head
   * @param {number} fileBytes
   */
  constructor(module, head, fileBytes) {
    /** @type {Feed | undefined} */
    let feed;
    super(module, head, fileBytes, (inside) => {
      feed = begin(inside, head, fileBytes);
      return feed.model;
    });
    this.#feed = feed;
    if (feed) this.feed(head.subarray(feed.at));
  }

  /** Number of sessions open. @override */
  get sessions() {
    return super.sessions - (this.#feed ? 1 : 0);
  }

  /** The next byte of the file that feed() takes; the file's size when the model is complete. */
  get fed() {
    return this.#feed?.at ?? this.fileBytes;
  }

  /**
   * Takes the bytes of the file from `fed` on.
   *
   * @param {Uint8Array} bytes
   * @returns {boolean} the model is complete
   */
  feed(bytes) {
    for (let from = 0; this.#feed && from < bytes.length;) {
      const feed = this.#feed;
      const { offset, rows, rowBytes } = feed.tensors[feed.tensor];
      if (feed.at < offset) { // padding
        const skipped = Math.min(offset - feed.at, bytes.length - from);
        feed.at += skipped;
        from += skipped;
        continue;
      }
      const wanted = Math.min(feed.room - feed.room % rowBytes, (rows - feed.row) * rowBytes) - feed.held;
      const taken = bytes.subarray(from, from + wanted);
      feed.inside.bytes().set(taken, feed.address + feed.held);
      feed.at += taken.length;
      feed.held += taken.length;
      from += taken.length;
      if (taken.length === wanted && !feedRows(feed)) this.#feed = undefined;
    }
    return !this.#feed;
  }
}

/**
 * Hands on the rows held.
 *
 * @param {Feed} feed
 * @returns {boolean} there are more
 */
function feedRows(feed) {
  const { call, problem, bytes, free } = feed.inside;
  const { rows, rowBytes, index } = feed.tensors[feed.tensor];
  const count = feed.held / rowBytes;
  const status = call('nx_model_feed', feed.model, index, feed.row, count, feed.address, problem);
  if (status < 0) throw statusError(status, OPENING, readProblem(bytes(), problem));
  feed.held = 0;
  feed.row += count;
  if (feed.row === rows) {
    feed.row = 0;
    feed.tensor++;
  }
  if (status !== MORE) free(feed.address);
  return status === MORE;
}

/**
 * @param {Inside} inside
 * @param {Uint8Array} head
 * @param {number} fileBytes
 * @returns {Feed}
 */
function begin(inside, head, fileBytes) {
  const { call, take, free, bytes, word, result, struct, problem } = inside;
  /** @param {number} status */
  const check = (status) => {
    if (status === MORE) throw TOO_SHORT;
    if (status < 0) throw statusError(status, OPENING, readProblem(bytes(), problem));
  };
  const first = take(head.length);
  bytes().set(head, first);
  check(call('nx_model_head_size', first, head.length, fileBytes, result, problem));
  const modelBytes = word(result);
  free(first);
  const block = take(modelBytes);
  const above = take(head.length);
  bytes().set(head, above);
  check(call('nx_model_begin', block, modelBytes, above, head.length, fileBytes, result, problem));
  free(above);
  const model = word(result);
  const count = call('nx_model_tensors', model) >>> 0;
  const tensors = Array.from({ length: count }, (_, index) => {
    call('nx_model_tensor', model, index, struct);
    const { offset, rows, row_bytes: rowBytes } = readStruct(new DataView(bytes().buffer), struct, 'nx_tensor_info');
    return { index, offset, rows, rowBytes };
  }).filter(({ rowBytes }) => rowBytes > 0);
  const room = Math.max(FEED_BYTES, ...tensors.map(({ rowBytes }) => rowBytes));
  return { inside, model, tensors, tensor: 0, row: 0, held: 0, at: tensors[0].offset, room, address: take(room) };
}
