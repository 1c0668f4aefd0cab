// SPDX-License-Identifier: MIT
// @ts-check

import { NextPixelError } from './error.js';
import { elementsOf } from './image.js';
import { Run } from './run.js';
import { checkDraw, checkLabel, wholeNumber } from './settings.js';

/** @import { ImageSource } from './image.js' */
/** @import { Request } from './job.js' */
/** @import { Link } from './link.js' */
/** @import { AttendedMessage, ModelInfo, OpenedMessage, ScoredMessage } from './protocol.js' */
/** @import { DrawOptions, Label } from './settings.js' */

/**
 * What an image costs under a model.
 *
 * @typedef {object} Score
 * @property {number} nats              -log p(image), natural logarithm
 * @property {number} bitsPerDim        the same in bits per element
 * @property {Float32Array} perElement  nats of each element, in generation order
 */

/**
 * What one element attended to: `weights[(block * heads + head) * (to - from) + k]` is the weight that the query which
 * predicts the element gives to input element `from + k`. Input element -1 is the start vector, which stands before the
 * image.
 *
 * @typedef {object} Attention
 * @property {number} blocks
 * @property {number} heads
 * @property {number} from
 * @property {number} to             one past the last, which is the element before the one predicted
 * @property {Float32Array} weights  (blocks, heads, to - from); each row sums to 1
 */

/**
 * A model that is ready to run, from load(). Several runs, scores and attentions may be in flight at once; they take
 * turns.
 *
 * Values out of range throw a NextPixelError with code 'argument': complete() and generate() at once, the methods that
 * return a promise by rejecting it.
 */
export class Model {
  #link;

  /** What the model is. @type {ModelInfo} */
  info;

  /**
   * @param {Link} link
   * @param {ModelInfo} info
   * @internal
   */
  constructor(link, info) {
    this.#link = link;
    this.info = info;
  }

  /**
   * Draws what lies below the first rows of an image.
   *
   * @param {ImageSource} image
   * @param {DrawOptions & { rows?: number }} [options]  rows: how many rows are known, 0 to height. Default: half of
   *   them
   * @returns {Run}
   */
  complete(image, options = {}) {
    this.#checkOpen();
    const { width, height, channels } = this.info;
    const { rows = Math.floor(height / 2), signal } = options;
    wholeNumber('rows', rows, 0, height);
    const checked = checkDraw(options, this.info);
    const known = elementsOf(image, this.info).slice(0, rows * width * channels);
    return new Run(this.#link, this.info, known, checked, signal);
  }

  /**
   * Draws whole images, from nothing or from a class.
   *
   * @param {DrawOptions} [options]
   * @returns {Run}
   */
  generate(options = {}) {
    this.#checkOpen();
    return new Run(this.#link, this.info, new Uint8Array(0), checkDraw(options, this.info), options.signal);
  }

  /**
   * How probable the model finds an image.
   *
   * @param {ImageSource} image
   * @param {{ label?: Label, signal?: AbortSignal }} [options]
   * @returns {Promise<Score>}
   */
  async score(image, { label, signal } = {}) {
    this.#checkOpen();
    const values = elementsOf(image, this.info);
    const index = checkLabel(label, this.info);
    /** @type {ScoredMessage} */
    const { nats: perElement } = await this.#ask({ type: 'score', values, label: index }, signal);
    const nats = perElement.reduce((sum, cost) => sum + cost, 0);
    return { nats, bitsPerDim: nats / (values.length * Math.LN2), perElement };
  }

  /**
   * What the element at a row and column attends to, given the image before it.
   *
   * @param {ImageSource} image
   * @param {{ row: number, column: number, channel?: number, label?: Label, signal?: AbortSignal }} options
   * @returns {Promise<Attention>}
   */
  async attention(image, { row, column, channel = 0, label, signal }) {
    this.#checkOpen();
    const { width, height, channels, blocks, heads } = this.info;
    wholeNumber('row', row, 0, height - 1);
    wholeNumber('column', column, 0, width - 1);
    wholeNumber('channel', channel, 0, channels - 1);
    const element = (row * width + column) * channels + channel;
    const values = elementsOf(image, this.info).slice(0, element + 1);
    const index = checkLabel(label, this.info);
    /** @type {AttendedMessage} */
    const { from, to, weights } = await this.#ask({ type: 'attention', values, label: index }, signal);
    return { blocks, heads, from, to, weights };
  }

  /** Ends the worker and frees all memory. What is in flight rejects with code 'closed'. A second call does nothing. */
  close() {
    this.#link.end(new NextPixelError('closed', 'The model was closed: load it again'));
  }

  /**
   * @param {Request} message
   * @param {AbortSignal} [signal]
   */
  async #ask(message, signal) {
    const job = this.#link.job(signal);
    try {
      return await job.ask(message);
    } finally {
      job.end();
    }
  }

  #checkOpen() {
    if (this.#link.ended) throw this.#link.ended;
  }
}

/**
 * Has the worker read a weight file.
 *
 * @param {Link} link
 * @param {WebAssembly.Module} module
 * @param {Uint8Array<ArrayBuffer>} bytes  transferred
 * @param {AbortSignal} signal
 * @returns {Promise<Model>}
 */
export async function openModel(link, module, bytes, signal) {
  const job = link.job(signal);
  try {
    /** @type {OpenedMessage} */
    const { info } = await job.ask({ type: 'open', module, bytes }, [bytes.buffer]);
    return new Model(link, info);
  } finally {
    job.end();
  }
}
