// SPDX-License-Identifier: MIT
// @ts-check

/** Validates the arguments of generate(). */

import { NX_MOST_BIAS } from '../../engine/abi.js';
import { checkSettings, show, wholeNumber } from '../../base/checks.js';
import { constraintOf } from './constraint.js';
import { argumentError } from '../../base/error.js';
import { classOf } from '../../base/realm.js';

/** @import { Constraint } from './constraint.js' */
/** @import { Tokenizer } from './tokenizer.js' */
/** @import { TextOptions } from '../../options.js' */
/** @import { Settings } from '../../engine/protocol.js' */

/** Maximum number of tokens in logitBias. */
const MOST_BIASES = 4096;

/**
 * The validated settings of a run.
 *
 * @typedef {object} TokenSettings
 * @property {Settings} settings
 * @property {number | bigint} seed  the seed as given
 * @property {number | undefined} maxTokens
 * @property {string[]} stop  the stop strings, with markers for control tokens: see Tokenizer.mark
 * @property {number} alternatives
 * @property {boolean} maps
 * @property {boolean} probabilities
 * @property {8 | 16 | undefined} keyBits
 * @property {Constraint | undefined} constraint
 */

/** Maximum length of a stop string, in characters. */
const LONGEST_STOP = 4096;

/**
 * @param {TextOptions} given
 * @param {Tokenizer | undefined} tokenizer
 * @param {number} size  number of tokens of the vocabulary
 * @returns {TokenSettings}
 */
export function checkTokens(given, tokenizer, size) {
  const { settings, options, seed } = checkSettings('text', given);
  const { maxTokens, logitBias = {}, stop = [], alternatives, maps, probabilities, keyBits } = options;
  if (keyBits !== undefined && keyBits !== 8 && keyBits !== 16)
    throw argumentError(`keyBits (bits of a cached key) must be 8 or 16, not ${show(keyBits)}`);
  // a copy of the list, in which holes become undefined
  const stops = typeof stop === 'string' ? [stop] : Array.isArray(stop) && stop.length <= 64 ? Array.from(stop) : [null];
  if (!stops.every((text) => typeof text === 'string' && text !== '' && text.length <= LONGEST_STOP)) {
    throw argumentError(`stop must be a string of 1 to ${LONGEST_STOP} characters, or a list of at most 64 such strings`);
  }
  const { repetitionPenalty, frequencyPenalty, presencePenalty, penaltyLast } = settings;
  const penalises = repetitionPenalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0;
  return {
    settings: {
      ...settings,
      temperatureLast: true,
      penaltyLast: penalises ? penaltyLast : 0,
      logitBias: checkBiases(logitBias, tokenizer, size),
      lookAhead: true,
    },
    seed,
    maxTokens,
    stop: stops.map((text) => tokenizer?.marked(text) ?? text),
    alternatives: Math.min(alternatives, size),
    maps,
    probabilities,
    keyBits,
    constraint: constraintOf(options, tokenizer),
  };
}

/**
 * @param {NonNullable<TextOptions['logitBias']>} biases
 * @param {Tokenizer | undefined} tokenizer
 * @param {number} size
 * @returns {[number, number][]}
 */
function checkBiases(biases, tokenizer, size) {
  if (!/^(Map|Object)$/.test(classOf(biases))) throw argumentError("logitBias must be an object, such as { ' the': -5 }, or a Map");
  const entries = classOf(biases) === 'Map' ? [.../** @type {Map<string | number, number>} */ (biases)] : Object.entries(biases);
  if (entries.length > MOST_BIASES) throw argumentError(`logitBias may name at most ${MOST_BIASES} tokens`);
  /** @type {Map<number, number>} */
  const all = new Map();
  for (const [token, bias] of entries) {
    if (typeof bias !== 'number' || Number.isNaN(bias))
      throw argumentError(`logitBias of ${show(token)} must be a number, not ${show(bias)}`);
    all.set(tokenOf(token, tokenizer, size), Math.min(Math.max(bias, -NX_MOST_BIAS), NX_MOST_BIAS));
  }
  return [...all];
}

/**
 * @param {string | number} token
 * @param {Tokenizer | undefined} tokenizer
 * @param {number} size
 */
function tokenOf(token, tokenizer, size) {
  if (typeof token === 'number' || (typeof token === 'string' && /^\d+$/.test(token))) {
    wholeNumber('A token of logitBias', Number(token), 0, size - 1);
    return Number(token);
  }
  const ids = typeof token === 'string' ? tokenizer?.find(token) : undefined;
  if (ids !== undefined) return ids;
  throw argumentError(`logitBias: ${show(token)} is not one token of this model. See model.tokenizer.encode(), or use its id`);
}
