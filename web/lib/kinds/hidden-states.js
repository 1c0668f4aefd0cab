// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the hidden states of text and picture models, for score(). */

import { argumentError, NextPixelError } from '../base/error.js';

/** @import { Part } from '../engine/protocol.js' */

/**
 * The output of one layer at every position of an input, from score() with `hiddenStates`.
 *
 * @typedef {object} HiddenState
 * @property {number} layer         0: the embedding, which enters the first block; i: the output of block i, before the model's last norm
 * @property {number} width         values per position: the width of the model
 * @property {Float32Array} values  shape (positions, width), row-major. Row p is the state from which value p of the score was predicted;
 *   for a text, this is the state at the token before token p
 */

/** Maximum number of values in the hidden states that one call of score() returns. */
const MOST_VALUES = 2 ** 27;

/**
 * @param {Part} part
 * @param {unknown} layers
 * @param {number} positions
 * @returns {number[] | undefined} the layers
 */
export function checkLayers(part, layers, positions) {
  if (layers === undefined) return undefined;
  const { hiddenLayers, hiddenWidth } = part;
  if (!hiddenLayers)
    throw argumentError('This model has no hidden states, or this build of the library does not read them: leave hiddenStates out');
  const wrong = Array.isArray(layers) ? layers.find((layer) => !(Number.isInteger(layer) && layer >= 0 && layer < hiddenLayers)) : layers;
  if (!Array.isArray(layers) || layers.length === 0 || wrong !== undefined)
    throw argumentError(`hiddenStates is a list of layers, 0 (the embedding) to ${hiddenLayers - 1}, such as [${hiddenLayers - 1}]`);
  if (layers.length * positions * hiddenWidth > MOST_VALUES)
    throw new NextPixelError(
      'limit',
      `The hidden states have more than ${MOST_VALUES} values: request fewer layers, or score a shorter input`,
    );
  return [...layers];
}

/**
 * @param {number[]} layers
 * @param {number} width
 * @param {Float32Array[]} values  the values of each layer
 * @returns {HiddenState[]}
 */
export const hiddenStatesOf = (layers, width, values) => layers.map((layer, i) => ({ layer, width, values: values[i] }));
