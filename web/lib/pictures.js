// SPDX-License-Identifier: MIT
// @ts-check

/** Shared by the verbs of pictures: the checks of their options, their inputs, scores and attention. */

import { checkLabel, checkSettings, wholeNumber } from './checks.js';
import { Codec } from './codecs/picture.js';
import { argumentError } from './error.js';
import { holds, inputOf, pictureOf, reduce } from './image.js';
import { Run } from './run.js';

/** @import { Label } from './checks.js' */
/** @import { Engine } from './engine.js' */
/** @import { ImageSource } from './image.js' */
/** @import { DrawOptions } from './options.js' */
/** @import { AttendedMessage, Inputs, ModelInfo, Resample, ScoredMessage, Settings } from './protocol.js' */

/**
 * The cost of an image under a model: the image as the model sees it, rounded to its levels or to its palette.
 *
 * @typedef {object} Score
 * @property {number} nats              minus log p(image), natural logarithm
 * @property {number} bitsPerDim        the same in bits per element, which is a channel of a pixel
 * @property {Float32Array} perElement  nats of each element, as in a Step, in generation order
 */

/**
 * The attention of the query that predicts a channel or a pixel: `weights[(block * heads + head) * elements.length + k]`
 * is the weight that it gives to `elements[k]`.
 *
 * @typedef {object} Attention
 * @property {number} blocks
 * @property {number} heads
 * @property {Int32Array} elements   for each key, what it holds: a place in raster order as in `model.order`, or -1, the
 *   start, which comes before the image. In generation order
 * @property {Float32Array} weights  (blocks, heads, elements.length); each row sums to 1
 */

/**
 * How a run draws pictures.
 *
 * @typedef {{ settings: Settings, resample?: Resample, maps: boolean, seed: number | bigint, chunk: number }} Drawing  seed: as it was given
 */

/**
 * @param {DrawOptions} given
 * @param {ModelInfo} info
 * @param {Uint8Array} [image]  of super-resolution
 * @returns {Drawing & { inputs: Inputs }}
 */
function drawingOf(given, info, image) {
  const { settings, options, seed } = checkSettings('pictures', given);
  const { label, resample, maps, chunk = 0, resampleRows = Math.min(4, info.height) } = options;
  const { samples } = settings;
  wholeNumber('resample', resample, 0, samples);
  wholeNumber('resampleRows', resampleRows, 1, info.height);
  wholeNumber('samples / resample', samples / (resample || 1), 1, samples);
  return {
    settings, seed, maps, chunk,
    resample: resample > 1 ? { group: resample, every: resampleRows * info.positions / info.height } : undefined,
    inputs: inputsOf(checkLabel(label, info), image),
  };
}

/**
 * How many rows are known. With local 2D attention these are whole rows of blocks, for what is known must come first in
 * generation order.
 *
 * @param {number | undefined} rows  undefined: half of them, or what is possible and closest to it
 * @param {Pick<ModelInfo, 'height' | 'blockRows'>} info
 * @returns {number}
 * @internal
 */
export function checkRows(rows, { height, blockRows }) {
  const step = blockRows || 1;
  if (rows === undefined) {
    const below = step * Math.floor(height / 2 / step);
    const above = Math.min(below + step, height);
    return height / 2 - below <= above - height / 2 ? below : above;
  }
  if (canBeKnown(rows, { height, blockRows })) return rows;
  wholeNumber('rows', rows, 0, height);
  const possible = Array.from({ length: Math.ceil(height / step) }, (_, i) => i * step).join(', ');
  throw argumentError(`rows must be ${possible} or ${height}, not ${rows}: this model draws blocks of ${step} rows`);
}

/**
 * @param {number} rows
 * @param {Pick<ModelInfo, 'height' | 'blockRows'>} info
 * @internal
 */
export function canBeKnown(rows, { height, blockRows }) {
  return Number.isInteger(rows) && rows >= 0 && rows <= height && (rows % (blockRows || 1) === 0 || rows === height);
}

/**
 * The inputs of the engine, by their names there.
 *
 * @param {number} label        class index, or -1 for none
 * @param {Uint8Array} [image]  of super-resolution
 * @returns {Inputs}
 */
function inputsOf(label, image) {
  return { ...(label >= 0 && { class: Uint32Array.of(label) }), ...(image && { image: Uint32Array.from(image) }) };
}

/** The pictures of a model. @internal */
export class Pictures {
  #engine;

  /** @param {Engine} engine */
  constructor(engine) {
    this.#engine = engine;
    this.codec = new Codec(engine.info);
  }

  /**
   * A run that goes on after known ids.
   *
   * @param {DrawOptions} options
   * @param {Uint32Array} [known]
   * @param {Uint8Array} [input]  of super-resolution, the small picture
   */
  run(options, known = new Uint32Array(0), input) {
    const { links, info } = this.#engine;
    const { inputs, ...drawing } = drawingOf(options, info, input);
    return new Run(links, this.codec, { known, inputs, input }, drawing, options.signal);
  }

  /**
   * @param {ImageSource} image
   * @param {{ label?: Label, input?: ImageSource, signal?: AbortSignal }} options
   * @returns {Promise<Score>}
   */
  async score(image, { label, input, signal }) {
    const { info } = this.#engine;
    const picture = pictureOf(image, info);
    const inputs = inputsOf(checkLabel(label, info), this.#inputFor(picture, input));
    /** @type {ScoredMessage} */
    const scored = await this.#engine.ask({ type: 'score', ids: this.codec.encode(picture), inputs }, signal);
    const perElement = this.codec.costs(scored.nats);
    const nats = perElement.reduce((sum, cost) => sum + cost, 0);
    return { nats, bitsPerDim: nats / (perElement.length * Math.LN2), perElement };
  }

  /**
   * @param {ImageSource} image
   * @param {{ row: number, column: number, channel?: number, label?: Label, input?: ImageSource, signal?: AbortSignal }} options
   * @returns {Promise<Attention>}
   */
  async attention(image, { row, column, channel = 0, label, input, signal }) {
    const { info } = this.#engine;
    const { width, height, channels, blocks, heads } = info;
    wholeNumber('row', row, 0, height - 1);
    wholeNumber('column', column, 0, width - 1);
    wholeNumber('channel', channel, 0, channels - 1);
    const place = Math.floor(((row * width + column) * channels + channel) / this.codec.span);
    const picture = pictureOf(image, info);
    const ids = this.codec.encode(picture, this.codec.order.indexOf(place) + 1);
    const inputs = inputsOf(checkLabel(label, info), this.#inputFor(picture, input));
    /** @type {AttendedMessage} */
    const { keys, weights } = await this.#engine.ask({ type: 'attention', ids, inputs }, signal);
    // The input is shifted by one: a key position holds what stands at the one before it.
    return { blocks, heads, elements: Int32Array.from(keys, (key) => (key > 0 ? this.codec.order[key - 1] : -1)), weights };
  }

  /**
   * The small picture that goes with a whole one.
   *
   * @param {Uint8Array} picture
   * @param {ImageSource} [input]
   */
  #inputFor(picture, input) {
    const { info } = this.#engine;
    const { inputWidth, inputHeight } = info;
    if (inputWidth === 0) {
      if (input === undefined) return undefined;
      throw argumentError('This model takes no small picture: leave input out');
    }
    if (input !== undefined) return inputOf(input, info);
    if (holds(info, inputWidth, inputHeight)) return reduce(picture, info, inputWidth, inputHeight);
    throw argumentError(`This model needs its small picture of ${inputWidth} x ${inputHeight} pixels as well: pass { input }`);
  }
}
