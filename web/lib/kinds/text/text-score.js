// SPDX-License-Identifier: MIT
// @ts-check

/** Computes the score of a text, which is minus the logarithm of its probability. */

import { checkLayers, hiddenStatesOf } from '../hidden-states.js';

/** @import { Engine } from '../../model/engine.js' */
/** @import { Part, ScoredMessage } from '../../engine/protocol.js' */
/** @import { HiddenState } from '../hidden-states.js' */
/** @import { Context } from './context.js' */

/**
 * The cost of a text under a model, in nats.
 *
 * @typedef {object} TextScore
 * @property {number} nats          minus log p(text), natural logarithm
 * @property {number} natsPerToken
 * @property {number} natsPerByte   nats per byte of the predicted tokens
 * @property {Uint32Array} tokens   the predicted tokens. If the model has no begin token, the first token is not predicted, so it is not
 *   listed here
 * @property {Float32Array} perToken  nats of each token
 * @property {HiddenState[]} [hiddenStates]  with the option `hiddenStates`: for each requested layer, one row for each of `tokens`. The row
 *   is the state from which the token was predicted: the state at the token before it. To get the state at the last token, add one more
 *   token to the text
 */

/**
 * Scores a text in windows that are as long as the context.
 *
 * @param {Engine} engine
 * @param {Context} context
 * @param {Uint32Array} ids
 * @param {{ layers?: number[], bytesOf?: (id: number) => number, signal?: AbortSignal }} how  layers: the layers whose hidden states are
 *   returned with the score
 * @returns {Promise<TextScore>}
 * @internal
 */
export async function scoreWindows(engine, context, ids, { layers: wanted, bytesOf, signal }) {
  const { part } = engine;
  const given = 1; // one token is not predicted: the begin token, or the first token of the text
  if (ids.length > given) context.start(ids.length - 1);
  const tokens = ids.slice(given);
  const perToken = new Float32Array(tokens.length);
  const layers = checkLayers(part, wanted, tokens.length);
  const states = layers?.map(() => new Float32Array(tokens.length * part.hiddenWidth));
  await engine.work(signal, async (job) => {
    // Each window after the first repeats half of the previous window. Only the new half of a window counts.
    for (let to = given; to < ids.length; ) {
      const from = context.start(to);
      const end = Math.min(ids.length, context.origin(from) + context.positions);
      const known = context.window(ids.subarray(0, end), from);
      /** @type {ScoredMessage} */
      const { nats, hiddenStates: kept = [] } = await job.ask({ type: 'score', ids: known, inputs: {}, hiddenStates: layers });
      const first = nats.length - (end - to);
      perToken.set(nats.subarray(first), to - given);
      kept.forEach((rows, i) => states?.[i].set(rows.subarray(first * part.hiddenWidth), (to - given) * part.hiddenWidth));
      to = end;
    }
  });
  return scoreOf(part, { tokens, perToken, layers, states }, bytesOf);
}

/**
 * @param {Part} part
 * @param {{ tokens: Uint32Array, perToken: Float32Array, layers?: number[], states?: Float32Array[] }} scored  states: the hidden states of
 *   each layer
 * @param {(id: number) => number} [bytesOf]  number of bytes of a token
 * @returns {TextScore}
 * @internal
 */
export function scoreOf(part, { tokens, perToken, layers, states }, bytesOf) {
  const nats = perToken.reduce((sum, cost) => sum + cost, 0);
  const bytes = bytesOf ? tokens.reduce((sum, id) => sum + bytesOf(id), 0) : NaN;
  return {
    nats,
    natsPerToken: nats / (tokens.length || 1), // 0 if there are no tokens
    natsPerByte: nats / (bytes === 0 ? 1 : bytes),
    tokens,
    perToken,
    ...(layers && { hiddenStates: hiddenStatesOf(layers, part.hiddenWidth, states ?? []) }),
  };
}
