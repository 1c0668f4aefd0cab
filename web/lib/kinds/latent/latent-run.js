// SPDX-License-Identifier: MIT
// @ts-check

import { abortable } from '../../base/abort.js';
import { SHOWN, checkOptions } from '../../base/checks.js';
import { NextPixelError } from '../../base/error.js';
import { showAll } from '../../sinks/canvas.js';
import { PictureSink } from '../../sinks/picture.js';
import { picture } from '../../sinks/pixels.js';

/** @import { Codec } from '../picture/codec.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { Inputs, MapRow, Settings } from '../../engine/protocol.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { PictureOptions } from '../../sinks/picture.js' */
/** @import { Picture } from '../../sinks/pixels.js' */

/**
 * A picture that was made at once.
 *
 * @typedef {object} LatentStep
 * @property {number} sample       which of the samples, from 0; of a walk 0
 * @property {number} from         0: its first element
 * @property {number} to           how many it has
 * @property {Uint8Array} values   (height, width, channels) 8-bit
 * @property {Float32Array} nats   none: such a model knows no probabilities
 * @property {Float32Array} latent what it was made of, given or drawn
 * @property {number} label        index of its class
 * @property {number} [at]         of a walk, where it is, 0 to 1
 * @property {WhereLooked[]} [maps]  with the option `maps`: where it looked, a head of a layer at a time
 */

/**
 * The attention between the locations of a picture while it was made. Locations are those of a coarser grid, in raster order.
 *
 * @typedef {object} WhereLooked
 * @property {string} name           'attention'
 * @property {number} rows           of the grid of those that look, which has as many columns
 * @property {number} keyRows        of the grid of what they look at
 * @property {Float32Array} weights  (rows * rows, keyRows * keyRows): those of one that looks add up to 1
 */

/** A picture to be made. @typedef {{ sample: number, label: number, inputs: Inputs, settings: Settings, at?: number }} Placed */

/**
 * Pictures made at once, or a walk: an async iterable of steps, a picture each, or drawn to a canvas. What was made is kept, so it may be read
 * several times.
 *
 * @implements {AsyncIterable<LatentStep>}
 */
export class LatentRun {
  #engine;
  #codec;
  #orders;
  #how;
  /** @type {LatentStep[]} */
  #made = [];
  /** Pictures under way. @type {Record<number, { made: Promise<void>, readers: number, stop: () => void }>} */
  #making = {};
  #stopped = false;

  /** The seed, whether it was given or chosen at random. @type {number | bigint} */
  seed;

  /** Why it ended: 'end', or 'abort' where it was stopped or its reader left; who reads all the same makes it 'end'. Undefined until then. @type {'end' | 'abort' | undefined} */
  finish;

  /**
   * @param {Engine} engine
   * @param {Codec} codec
   * @param {(() => Promise<Placed>)[]} orders  one a step
   * @param {{ seed: number | bigint, maps: boolean, signal?: AbortSignal, latentOf: (ids: Uint32Array) => Float32Array, one?: boolean }} how  one:
   *   all steps are of one sample
   * @internal
   */
  constructor(engine, codec, orders, how) {
    this.#engine = engine;
    this.#codec = codec;
    this.#orders = orders;
    this.#how = how;
    this.seed = how.seed;
  }

  /** @returns {AsyncGenerator<LatentStep, void, void>} */
  [Symbol.asyncIterator]() {
    return this.#steps();
  }

  /** Ends the run after the picture that is under way. Those that were made can still be read. */
  stop() {
    this.#stopped = true;
  }

  /**
   * Shows the pictures as they come. Sets the size of the canvas to the model's; scale it with CSS (`image-rendering: pixelated`).
   *
   * @param {Canvas | Canvas[]} target  one canvas, where several samples stand side by side, or one for each sample
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} one for each sample; of a walk the last
   */
  async drawTo(target, options = {}) {
    checkOptions(options, 'drawTo()', SHOWN);
    const { signal, ...how } = options;
    return showAll(this.#steps(signal), this.sink(target, how));
  }

  /**
   * Makes them without showing anything, as in Node.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} as drawTo()
   */
  async pictures(options = {}) {
    checkOptions(options, 'pictures()', ['signal']);
    /** @type {Picture[]} */
    const all = [];
    for await (const { sample, values } of this.#steps(options.signal)) all[sample] = picture(this.#codec, values);
    return all;
  }

  /**
   * @param {Canvas | Canvas[]} target
   * @param {PictureOptions} [options]
   * @internal
   */
  sink(target, options) {
    return new PictureSink(target, this.#codec, new Uint8Array(0), { samples: this.#orders.length, ...options, ...(this.#how.one && { samples: 1 }) });
  }

  /** The share that is there with a step. @param {LatentStep} step @internal */
  doneWith({ sample, at }) {
    return at ?? (sample + 1) / this.#orders.length;
  }

  /**
   * The pictures from the first one on, for one of several readers.
   *
   * @param {AbortSignal} [signal]  beside that of the run
   */
  async *#steps(signal) {
    const { signal: own } = this.#how;
    try {
      for (let i = 0; i < this.#orders.length; i++) {
        signal?.throwIfAborted();
        if (!this.#made[i]) {
          own?.throwIfAborted();
          if (this.#stopped) return;
          await this.#picture(i, signal);
        }
        yield this.#made[i];
      }
    } finally {
      this.finish ??= 'abort';
    }
  }

  /**
   * Has a picture made, once for all who wait for it; when nobody does any more, it is given up.
   *
   * @param {number} i
   * @param {AbortSignal} [signal]
   */
  async #picture(i, signal) {
    const one = (this.#making[i] ??= this.#begin(i));
    one.readers++;
    try {
      await abortable(one.made, signal);
    } finally {
      if (--one.readers === 0) {
        if (this.#making[i] === one) delete this.#making[i];
        one.stop();
      }
    }
  }

  /** @param {number} i */
  #begin(i) {
    const { maps, signal: own } = this.#how;
    const job = this.#engine.links[i % this.#engine.links.length].job(own);
    const make = async () => {
      const { inputs, settings, ...step } = await this.#orders[i]();
      this.#made[i] = this.#stepOf(step, await job.ask({ type: 'encode', part: this.#engine.part.index, inputs, settings, results: ['image', 'latent'], maps }));
      if (this.#orders.every((_, k) => this.#made[k])) this.finish = 'end';
    };
    const made = make();
    made.catch(() => {}); // those who wait are told
    return { made, readers: 0, stop: () => job.end(new NextPixelError('closed', 'Nobody waits for this picture any more')) };
  }

  /**
   * @param {{ sample: number, label: number, at?: number }} step
   * @param {any} answer
   * @returns {LatentStep}
   */
  #stepOf(step, { results, maps }) {
    const values = Uint8Array.from(results.image);
    return {
      ...step, from: 0, to: values.length, values, nats: new Float32Array(0), latent: this.#how.latentOf(results.latent), ...(maps && { maps: mapsOf(maps) }),
    };
  }
}

/** One map of all rows. @param {MapRow[]} rows @returns {WhereLooked[]} */
function mapsOf(rows) {
  if (rows.length === 0) return [];
  const keys = rows[0].keys.length;
  const weights = new Float32Array(rows.length * keys);
  rows.forEach((row, i) => weights.set(row.weights, i * keys));
  return [{ name: rows[0].name, rows: Math.sqrt(rows.length), keyRows: Math.sqrt(keys), weights }];
}
