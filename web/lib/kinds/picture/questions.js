// SPDX-License-Identifier: MIT
// @ts-check

/** Queries of a picture model that draw nothing: the score of a picture, and the attention of a position. Loaded when one is called. */

import { checkLabel, wholeNumber } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { holds, inputOf, pictureOf, reduce } from '../../media/image.js';
import { inputsOf } from './pictures.js';

/** @import { Label } from '../../base/checks.js' */
/** @import { Codec } from '../../media/codec.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { ImageSource } from '../../media/image.js' */
/** @import { AttendedMessage, ModelInfo, ScoredMessage } from '../../engine/protocol.js' */

/**
 * The cost of an image under a model: the image as the model sees it, rounded to its levels or to its palette.
 *
 * @typedef {object} PictureScore
 * @property {number} nats              minus log p(image), natural logarithm
 * @property {number} bitsPerDim        the same in bits per element, which is a channel of a pixel
 * @property {Float32Array} perElement  nats of each element, as in a PictureStep, in generation order
 */

/**
 * The attention of the query that predicts a channel or a pixel: `weights[(block * heads + head) * elements.length + k]`
 * is the weight that it gives to `elements[k]`.
 *
 * @typedef {object} Attention
 * @property {number} blocks
 * @property {number} heads
 * @property {Int32Array} elements   the element of each key: a position in raster order as in `model.order`, or -1, the start, which comes
 *   before the image. In generation order
 * @property {Float32Array} weights  (blocks, heads, elements.length); each row sums to 1
 */

/** @typedef {{ row: number, column: number, channel?: number, label?: Label, input?: ImageSource, signal?: AbortSignal }} Looking */

/**
 * @param {Engine} engine
 * @param {Codec} codec
 * @param {ImageSource} image
 * @param {{ label?: Label, input?: ImageSource, signal?: AbortSignal }} options
 * @returns {Promise<PictureScore>}
 * @internal
 */
export async function score(engine, codec, image, { label, input, signal }) {
  const { info } = engine;
  const index = checkLabel(label, info);
  const [picture, small] = await read(info, image, input, signal);
  const inputs = inputsOf(index, small);
  /** @type {ScoredMessage} */
  const scored = await engine.ask({ type: 'score', ids: codec.encode(picture), inputs }, signal);
  const perElement = codec.elementNats(scored.nats);
  const nats = perElement.reduce((sum, cost) => sum + cost, 0);
  return { nats, bitsPerDim: nats / (perElement.length * Math.LN2), perElement };
}

/**
 * @param {Engine} engine
 * @param {Codec} codec
 * @param {ImageSource} image
 * @param {Looking} options
 * @returns {Promise<Attention>}
 * @internal
 */
export async function attention(engine, codec, image, { row, column, channel = 0, label, input, signal }) {
  const { info } = engine;
  const { width, height, channels, blocks, heads } = info;
  wholeNumber('row', row, 0, height - 1);
  wholeNumber('column', column, 0, width - 1);
  wholeNumber('channel', channel, 0, channels - 1);
  const place = Math.floor(((row * width + column) * channels + channel) / codec.positionElements);
  const index = checkLabel(label, info);
  const [picture, small] = await read(info, image, input, signal);
  const ids = codec.encode(picture, codec.order.indexOf(place) + 1);
  const inputs = inputsOf(index, small);
  /** @type {AttendedMessage} */
  const { keys, weights } = await engine.ask({ type: 'attention', ids, inputs }, signal);
  // The input is shifted by one: key j is the element at position j - 1.
  return { blocks, heads, elements: Int32Array.from(keys, (key) => (key > 0 ? codec.order[key - 1] : -1)), weights };
}

/**
 * A picture, and the small one that goes with it. Both are as they were when it was asked for them.
 *
 * @param {ModelInfo} info
 * @param {ImageSource} image
 * @param {ImageSource} [input]
 * @param {AbortSignal} [signal]
 * @returns {Promise<[Uint8Array, Uint8Array | undefined]>}
 */
async function read(info, image, input, signal) {
  const { inputWidth, inputHeight } = info;
  if (inputWidth === 0 && input !== undefined) throw argumentError('This model takes no small picture: leave input out');
  const fits = inputWidth === 0 || input !== undefined || holds(info, inputWidth, inputHeight);
  if (!fits) throw argumentError(`This model needs its small picture of ${inputWidth} x ${inputHeight} pixels as well: pass { input }`);
  const [picture, small] = await Promise.all([
    (async () => pictureOf(image, info, signal))(),
    (async () => (input === undefined ? undefined : inputOf(input, info, signal)))(),
  ]);
  return [picture, inputWidth === 0 ? undefined : (small ?? reduce(picture, info, inputWidth, inputHeight))];
}
