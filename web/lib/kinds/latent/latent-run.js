// SPDX-License-Identifier: MIT
// @ts-check

import { join } from '../../base/arrays.js';
import { checkOptions } from '../../base/checks.js';
import { mapOf } from '../../runs/attention-map.js';
import { BaseRun } from '../../runs/base-run.js';
import { PictureSink } from '../../sinks/picture.js';
import { picture } from '../../sinks/pixels.js';

/** @import { Codec } from '../../media/codec.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { Inputs, MapRow, Settings } from '../../engine/protocol.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { PictureSinkOptions } from '../../sinks/picture.js' */
/** @import { Picture } from '../../sinks/pixels.js' */

/**
 * A picture that was drawn in one pass.
 *
 * @typedef {object} LatentStep
 * @property {number} sample       index of the sample, from 0; always 0 in a walk
 * @property {number} from         index of the picture's first element, always 0
 * @property {number} to           number of the picture's elements
 * @property {Uint8Array} values   shape (height, width, channels): 8-bit values
 * @property {Float32Array} nats   empty, because models of this kind compute no probabilities
 * @property {Float32Array} latent the latent of the picture, either given or drawn
 * @property {number} label        index of the class of the picture
 * @property {number} [at]         in a walk, the position of the picture on the path, 0 to 1
 * @property {AttentionMap[]} [maps]  with the option `maps`: the attention of each layer. Queries and keys are locations of a grid that is
 *   coarser than the picture
 */

/** A picture to draw. @typedef {{ sample: number, label: number, inputs: Inputs, settings: Settings, at?: number }} Placed */

/**
 * A run that draws separate pictures or a walk; each picture is drawn in one pass. The run can be read as an async iterable with one step
 * per picture, or drawn to a canvas. The pictures are stored, so the run may be read several times. If one reader leaves, the other readers
 * can continue.
 *
 * @extends {BaseRun<LatentStep, Picture[]>}
 */
export class LatentRun extends BaseRun {
  #engine;
  #codec;
  #orders;
  #how;

  /**
   * @param {Engine} engine
   * @param {Codec} codec
   * @param {(() => Promise<Placed>)[]} orders  one function for each step; it returns the picture to draw
   * @param {{ seed: number | bigint, maps: boolean, signal?: AbortSignal, latentOf: (ids: Uint32Array) => Float32Array, one?: boolean }} how
   *   one: all steps belong to the same sample
   * @internal
   */
  constructor(engine, codec, orders, how) {
    super(how.seed, undefined, how.signal);
    this.#engine = engine;
    this.#codec = codec;
    this.#orders = orders;
    this.#how = how;
    this.waits = true; // the run can pause, because each picture is a separate request and no state is carried between pictures
  }

  /**
   * Shows the pictures as they are drawn. Sets the size of the canvas to the size of the model's pictures; scale the canvas with CSS
   * (`image-rendering: pixelated`).
   *
   * @param {Canvas | Canvas[]} target  one canvas that shows all samples side by side, or one canvas for each sample
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} one picture for each sample; for a walk, the last picture
   */
  async drawTo(target, options = {}) {
    return this.show(target, options);
  }

  /**
   * Draws the pictures without showing them, for example in Node.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} one picture for each sample; for a walk, one for each step
   */
  async pictures(options = {}) {
    checkOptions(options, 'pictures()', ['signal']);
    /** @type {Picture[]} */
    const all = [];
    for await (const { values } of this.read(options.signal)) all.push(picture(this.#codec, values));
    return all;
  }

  /** The same as pictures(). @param {{ signal?: AbortSignal }} [options] @returns {Promise<Picture[]>} */
  async result(options = {}) {
    return this.pictures(options);
  }

  /** Resolves with undefined: the only inputs of these models are a latent and a class, and each step contains both. */
  get input() {
    return Promise.resolve(undefined);
  }

  /**
   * @param {Canvas | Canvas[]} target
   * @param {PictureSinkOptions} [options]
   * @internal
   */
  sink(target, options) {
    return new PictureSink(target, this.#codec, new Uint8Array(0), {
      samples: this.#orders.length,
      ...options,
      ...(this.#how.one && { samples: 1 }),
    });
  }

  /** Returns the fraction of the run that is done after a step. @param {LatentStep} step @internal */
  doneWith({ sample, at }) {
    return at ?? (sample + 1) / this.#orders.length;
  }

  /** @returns {AsyncGenerator<LatentStep, void, void>} @internal */
  async *stream() {
    const { part, links } = this.#engine;
    for (const order of this.#orders) {
      const { inputs, settings, ...step } = await order();
      const job = links[0].job(...this.signals);
      try {
        yield this.#stepOf(
          step,
          await job.ask({ type: 'encode', part: part.index, inputs, settings, results: ['image', 'latent'], maps: this.#how.maps }),
        );
      } finally {
        job.end();
      }
    }
  }

  /**
   * @param {{ sample: number, label: number, at?: number }} step
   * @param {any} answer
   * @returns {LatentStep}
   */
  #stepOf(step, { results, maps }) {
    const values = Uint8Array.from(results.image);
    return {
      ...step,
      from: 0,
      to: values.length,
      values,
      nats: new Float32Array(0),
      latent: this.#how.latentOf(results.latent),
      ...(maps && { maps: mapsOf(maps) }),
    };
  }
}

/** Joins the rows of all queries into one map. @param {MapRow[]} rows @returns {AttentionMap[]} */
function mapsOf(rows) {
  if (rows.length === 0) return [];
  const [{ name, keys }] = rows;
  const map = mapOf(
    {
      name,
      row: 0,
      keys,
      weights: join(
        Float32Array,
        rows.map(({ weights }) => weights),
      ),
    },
    0,
    0,
  );
  return [{ ...map, queries: Int32Array.from(rows.keys()) }];
}
