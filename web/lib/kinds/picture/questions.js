// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Rarely used code for picture models, which is loaded on demand. It computes the score of a picture and the attention of a position, and
 * restores saved steps.
 */

import { checkLabel, wholeNumber } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { before, mapOf } from '../../runs/attention-map.js';
import { holds, inputOf, pictureOf, reduce } from '../../media/image.js';
import { checkLayers, hiddenStatesOf } from '../hidden-states.js';
import { inputsOf } from './pictures.js';

/** @import { Label } from '../../base/checks.js' */
/** @import { Codec } from '../../media/codec.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { HiddenState } from '../hidden-states.js' */
/** @import { ImageSource } from '../../media/image.js' */
/** @import { PictureStep } from './picture-run.js' */
/** @import { LookedMessage, MapRow, AnyInfo, ScoredMessage } from '../../engine/protocol.js' */

/**
 * The cost of an image under a model: -log p. The image is first rounded to the model's levels or to its palette.
 *
 * @typedef {object} PictureScore
 * @property {number} nats              minus log p(image), natural logarithm
 * @property {number} bitsPerDim        bits per element, where an element is a channel of a pixel
 * @property {Float32Array} perElement  nats of each element, as in a PictureStep, in generation order
 * @property {HiddenState[]} [hiddenStates]  with the option `hiddenStates`: for each requested layer, one row per position, in generation
 *   order. A position is an element, or a whole pixel if the model draws whole pixels
 */

/** @typedef {{ row: number, column: number, channel?: number, label?: Label, input?: ImageSource, signal?: AbortSignal }} Looking */

/**
 * @param {Engine} engine
 * @param {Codec} codec
 * @param {ImageSource} image
 * @param {{ label?: Label, input?: ImageSource, hiddenStates?: number[], signal?: AbortSignal }} options
 * @returns {Promise<PictureScore>}
 * @internal
 */
export async function score(engine, codec, image, { label, input, hiddenStates, signal }) {
  const { info, part } = engine;
  const layers = checkLayers(part, hiddenStates, info.positions);
  const index = checkLabel(label, info);
  const [picture, small] = await read(info, image, input, signal);
  const inputs = inputsOf(index, small);
  /** @type {ScoredMessage} */
  const scored = await engine.ask({ type: 'score', ids: codec.encode(picture), inputs, hiddenStates: layers }, signal);
  const perElement = codec.elementNats(scored.nats);
  const nats = perElement.reduce((sum, cost) => sum + cost, 0);
  const states = layers && { hiddenStates: hiddenStatesOf(layers, part.hiddenWidth, scored.hiddenStates ?? []) };
  return { nats, bitsPerDim: nats / (perElement.length * Math.LN2), perElement, ...states };
}

/**
 * @param {Engine} engine
 * @param {Codec} codec
 * @param {ImageSource} image
 * @param {Looking} options
 * @returns {Promise<AttentionMap[]>}
 * @internal
 */
export async function attention(engine, codec, image, { row, column, channel = 0, label, input, signal }) {
  const { info } = engine;
  const { width, height, channels } = info;
  wholeNumber('row', row, 0, height - 1);
  wholeNumber('column', column, 0, width - 1);
  wholeNumber('channel', channel, 0, channels - 1);
  const place = Math.floor(((row * width + column) * channels + channel) / codec.positionElements);
  const index = checkLabel(label, info);
  const [picture, small] = await read(info, image, input, signal);
  const position = codec.order.indexOf(place);
  const ids = codec.encode(picture, position + 1);
  const inputs = inputsOf(index, small);
  /** @type {LookedMessage} */
  const { positions } = await engine.ask({ type: 'look', ids, inputs, from: position }, signal);
  return positions[0].map((row) => mapAt(codec, row, position));
}

/**
 * Returns the attention map of one position. The keys of the map are locations of the drawn picture or of the small input picture.
 *
 * @param {Codec} codec
 * @param {MapRow} row
 * @param {number} position
 * @returns {AttentionMap}
 * @internal
 */
export function mapAt({ info, order }, row, position) {
  const past = (/** @type {number} */ key) => order[before(key)] ?? -1;
  // The keys of maps other than 'attention' are pixels of the small picture.
  return mapOf(row, info.heads, order[position], row.name === 'attention' ? past : undefined);
}

/**
 * Restores a saved step. JSON has turned the typed arrays of the step into objects; they become typed arrays again.
 * @param {any} step
 * @returns {PictureStep}
 * @internal
 */
export function stepFrom({ values, nats, ahead, maps, probabilities, ...rest }) {
  const [bytes, floats, places] = [Uint8Array, Float32Array, Int32Array].map(
    (Type) => (/** @type {object} */ list) => Type.from(Object.values(list)),
  );
  return {
    ...rest,
    values: bytes(values),
    nats: floats(nats),
    ahead: bytes(ahead),
    ...(probabilities && { probabilities: floats(probabilities) }),
    ...(maps && {
      maps: maps.map((/** @type {any} */ map) => ({
        ...map,
        queries: places(map.queries),
        keys: places(map.keys),
        weights: floats(map.weights),
      })),
    }),
  };
}

/**
 * Reads a picture and, for super-resolution, its small input picture. Both pictures are copied when the function is called.
 *
 * @param {AnyInfo} info
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
