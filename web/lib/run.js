// SPDX-License-Identifier: MIT
// @ts-check

import { paint, picture } from './draw.js';
import { Easel } from './easel.js';
import { argumentError } from './error.js';
import { quantise } from './image.js';

/** @import { Picture } from './draw.js' */
/** @import { Canvas } from './easel.js' */
/** @import { Link } from './link.js' */
/** @import { ModelInfo, Settings, StepMessage } from './protocol.js' */

/**
 * Some elements of one sample, drawn one after the other.
 *
 * @typedef {object} Step
 * @property {number} sample       which of the samples, from 0
 * @property {number} from         position of the first element in generation order: rows, columns, channels within a
 *   pixel
 * @property {number} to           one past the last
 * @property {Uint8Array} values   (to - from) 8-bit
 * @property {Float32Array} nats   (to - from) -log p of each value, given all before it, under the model's own
 *   distribution (temperature 1, no filter)
 */

/**
 * One run of a model: an async iterable of steps, or drawn to a canvas. It can be read once.
 *
 * Streaming is pulled: the worker computes while a step is awaited, and not otherwise. Leaving the loop, the signal and
 * `model.close()` stop the run between two slices of about 10 ms and free its memory.
 *
 * @implements {AsyncIterable<Step>}
 */
export class Run {
  #link;
  #info;
  #known;
  #settings;
  #chunk;
  #signal;
  #claimed = false;

  /**
   * The seed, whether it was given or chosen at random: with it the same run can be made again.
   *
   * @type {number | bigint}
   */
  seed;

  /**
   * @param {Link} link
   * @param {ModelInfo} info
   * @param {Uint8Array} known  the elements before the first drawn one
   * @param {{ settings: Settings, seed: number | bigint, chunk: number }} checked
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, info, known, { settings, seed, chunk }, signal) {
    this.#link = link;
    this.#info = info;
    this.#known = known;
    this.#settings = settings;
    this.#chunk = chunk;
    this.#signal = signal;
    this.seed = seed;
  }

  /** @returns {AsyncGenerator<Step, void, void>} */
  [Symbol.asyncIterator]() {
    return this.#steps();
  }

  /**
   * Draws the known part at once and the rest as it comes, at most one paint per animation frame. Sets the size of the
   * canvas to the model's; scale it with CSS (`image-rendering: pixelated`). The known part is shown as the model sees
   * it, rounded to its levels. If the run stops early, the canvas keeps what was drawn.
   *
   * @param {Canvas | Canvas[]} target  one canvas, where several samples stand side by side, or one for each sample
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} the finished images, one for each sample
   */
  async drawTo(target, { signal } = {}) {
    const { samples } = this.#settings;
    const { width, height, channels, levels } = this.#info;
    const images = Array.from({ length: samples }, () => new Uint8Array(width * height * channels));
    const pictures = images.map((image) => {
      image.set(quantise(this.#known, levels));
      return picture(image.subarray(0, this.#known.length), this.#info);
    });
    const steps = this.#steps(signal);
    const easel = new Easel(target, pictures);
    try {
      for await (const { sample, from, to, values } of steps) {
        images[sample].set(values, from);
        paint(pictures[sample].data, images[sample], from, to, channels);
        easel.paintSoon();
      }
    } finally {
      easel.paint();
    }
    return pictures;
  }

  /** @param {AbortSignal} [signal]  beside that of the run */
  #steps(signal) {
    if (this.#claimed) throw argumentError('A run can be read once: call complete() or generate() again');
    this.#claimed = true;
    return this.#stream(signal);
  }

  /**
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<Step, void, void>}
   */
  async *#stream(signal) {
    const { width, height, channels } = this.#info;
    const { samples } = this.#settings;
    const job = this.#link.job(this.#signal, signal);
    try {
      job.check();
      let last = this.#known.length === width * height * channels;
      if (!last) job.tell({ type: 'draw', known: this.#known, settings: this.#settings });
      while (!last) {
        /** @type {StepMessage} */
        const message = await job.ask({ type: 'next', chunk: this.#chunk });
        for (let sample = 0; sample < samples; sample++) {
          job.check();
          yield stepOf(message, sample, samples);
        }
        last = message.last;
      }
      job.check();
    } finally {
      job.end();
    }
  }
}

/**
 * @param {StepMessage} message
 * @param {number} sample
 * @param {number} samples
 * @returns {Step}
 */
function stepOf({ from, to, values, nats }, sample, samples) {
  if (samples === 1) return { sample, from, to, values, nats };
  return {
    sample, from, to,
    values: Uint8Array.from({ length: to - from }, (_, i) => values[i * samples + sample]),
    nats: Float32Array.from({ length: to - from }, (_, i) => nats[i * samples + sample]),
  };
}
