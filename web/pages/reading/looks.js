// SPDX-License-Identifier: MIT
// Computes the attention of a language model that reads a given text. Each token attends to itself and to all earlier tokens. This file
// does not use the DOM.
// @ts-check
/** @import { AttentionMap, Model } from '../../shell/index.js' */

/** Attention maps of all heads for one token, over this token and all earlier tokens. @typedef {AttentionMap[]} Look */

/**
 * Reads a text token by token. The model returns the attention of a token only when it generates the next token. Therefore each prefix of
 * the text is continued by one token.
 * @param {Model} model
 * @param {ArrayLike<number>} ids token ids, including the start token
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Look, void, void>}
 */
export async function* looksOf(model, ids, signal) {
  for (let count = 1; count <= ids.length; count++) {
    const run = model.generate(Array.from(ids).slice(0, count), { maxTokens: 1, temperature: 0, maps: true, signal });
    for await (const { maps = [] } of run) {
      yield maps.map(({ keys, weights, ...map }) => {
        const row = new Float32Array(count);
        keys.forEach((key, i) => {
          if (key >= 0) row[key] = weights[i];
        });
        return { ...map, keys: Int32Array.from(row.keys()), weights: row };
      });
    }
    if (run.finish === 'end') yield []; // if the model ends the text here, it returns no attention
  }
}
