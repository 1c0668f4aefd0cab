// SPDX-License-Identifier: MIT
// @ts-check

/** Checks what a caller asks of tokens(). */

import { argumentError } from './error.js';
import { MAX_BIASES, MOST_BIAS } from './protocol.js';
import { checkSeed, number, randomSeed, show, wholeNumber } from './settings.js';

/** @import { Tokenizer } from './codecs/text.js' */
/** @import { Settings } from './protocol.js' */

/**
 * How tokens are drawn. In this order: biases and penalties change the odds, top-k, typical, top-p and min-p each leave some
 * tokens out, the temperature sharpens or flattens what is left, and one is drawn.
 *
 * @typedef {object} TokenOptions
 * @property {number} [maxTokens]     the most tokens to draw. Default: as many as the context has room for; for more than that, the older
 *   half of the context is forgotten whenever it is full
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed gives the same text. Default: a random one
 * @property {number} [temperature]   0 to 100; below 1 the text keeps closer to the likely, 0 always takes the most probable. Default 1
 * @property {number} [topK]          draw among the k most probable tokens only; 0: all. Default 0
 * @property {number} [typicalP]      draw among the tokens whose surprise is nearest to the expected one and that together have this
 *   probability, 0 to 1; 1: all. Default 1
 * @property {number} [topP]          draw among the most probable tokens that together have this probability, over 0 to 1. Default 1
 * @property {number} [minP]          draw among the tokens that are at least so many times as probable as the first, 0 to 1. Default 0
 * @property {number} [repetitionPenalty]  0.01 to 100; over 1 makes less probable what stands among the last tokens. Default 1
 * @property {number} [frequencyPenalty]   from -100 to 100, taken from the logit of a token for each time it stands there. Default 0
 * @property {number} [presencePenalty]    from -100 to 100, taken from the logit of a token that stands there at all. Default 0
 * @property {number} [penaltyLast]   how many of the last tokens the penalties look at. Default 64
 * @property {Record<string, number> | Map<string | number, number>} [logitBias]  added to the logits of tokens, which are given by number or
 *   by a text that is one token: -Infinity never draws it. At most 4096 of them
 * @property {string | string[]} [stop]  texts that end the run where they would appear; they do not appear
 * @property {number} [alternatives]  how many of the most probable tokens every step names, with their nats. Default 0
 * @property {boolean} [maps]         true: every step says what it looked at (`step.maps`). Slower; the text is the same. Default false
 * @property {AbortSignal} [signal]   stops the run
 */

/**
 * What a run needs to know.
 *
 * @typedef {object} TokenSettings
 * @property {Settings} settings
 * @property {number | bigint} seed  as it was given
 * @property {number | undefined} maxTokens
 * @property {string[]} stop
 * @property {number} alternatives
 * @property {boolean} maps
 */

/**
 * @param {TokenOptions} options
 * @param {Tokenizer | undefined} tokenizer
 * @param {number} size  tokens of the vocabulary
 * @returns {TokenSettings}
 */
export function checkTokens(options, tokenizer, size) {
  const {
    maxTokens, seed = randomSeed(), temperature = 1, topK = 0, typicalP = 1, topP = 1, minP = 0, repetitionPenalty = 1, frequencyPenalty = 0,
    presencePenalty = 0, penaltyLast = 64, logitBias = {}, stop = [], alternatives = 0, maps = false,
  } = options;
  if (maxTokens !== undefined) wholeNumber('maxTokens', maxTokens, 0, 2 ** 31 - 1);
  number('temperature', temperature, 0, 100);
  wholeNumber('topK', topK, 0, 2 ** 31 - 1);
  number('typicalP', typicalP, 0, 1);
  number('topP', topP, 0, 1);
  if (topP === 0) throw argumentError('topP must be over 0: 1 keeps every token');
  number('minP', minP, 0, 1);
  number('repetitionPenalty', repetitionPenalty, 0.01, 100);
  number('frequencyPenalty', frequencyPenalty, -100, 100);
  number('presencePenalty', presencePenalty, -100, 100);
  wholeNumber('penaltyLast', penaltyLast, 0, 2 ** 24);
  wholeNumber('alternatives', alternatives, 0, 1024);
  if (typeof maps !== 'boolean') throw argumentError(`maps must be true or false, not ${show(maps)}`);
  const stops = typeof stop === 'string' ? [stop] : stop;
  if (!Array.isArray(stops) || !stops.every((text) => typeof text === 'string' && text !== '') || stops.length > 64) {
    throw argumentError('stop must be a text, or a list of at most 64 texts, none of them empty');
  }
  const penalises = repetitionPenalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0;
  return {
    settings: {
      seed: checkSeed(seed), samples: 1, temperature, topK, topP, typicalP, minP, temperatureLast: true, repetitionPenalty, frequencyPenalty,
      presencePenalty, penaltyLast: penalises ? penaltyLast : 0, logitBias: checkBiases(logitBias, tokenizer, size), lookAhead: true,
    },
    seed, maxTokens, stop: stops, alternatives: Math.min(alternatives, size), maps,
  };
}

/**
 * @param {NonNullable<TokenOptions['logitBias']>} biases
 * @param {Tokenizer | undefined} tokenizer
 * @param {number} size
 * @returns {[number, number][]}
 */
function checkBiases(biases, tokenizer, size) {
  if (typeof biases !== 'object' || biases === null) throw argumentError('logitBias must be an object, such as { \' the\': -5 }, or a Map');
  const entries = biases instanceof Map ? [...biases] : Object.entries(biases);
  if (entries.length > MAX_BIASES) throw argumentError(`logitBias may name at most ${MAX_BIASES} tokens`);
  /** @type {Map<number, number>} */
  const all = new Map();
  for (const [token, bias] of entries) {
    if (typeof bias !== 'number' || Number.isNaN(bias)) throw argumentError(`logitBias of ${show(token)} must be a number, not ${show(bias)}`);
    all.set(tokenOf(token, tokenizer, size), Math.min(Math.max(bias, -MOST_BIAS), MOST_BIAS));
  }
  return [...all];
}

/**
 * @param {string | number} token
 * @param {Tokenizer | undefined} tokenizer
 * @param {number} size
 */
function tokenOf(token, tokenizer, size) {
  if (typeof token === 'number' || /^\d+$/.test(token)) {
    wholeNumber('A token of logitBias', Number(token), 0, size - 1);
    return Number(token);
  }
  const ids = tokenizer?.find(token);
  if (ids !== undefined) return ids;
  throw argumentError(`logitBias: ${show(token)} is not one token of this model. Look at model.tokenizer.encode(), or give its number`);
}
