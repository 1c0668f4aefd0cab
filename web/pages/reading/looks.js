// SPDX-License-Identifier: MIT
// Computes the attention of a language model while it reads a given text, from each token to the tokens before it. The module does not
// depend on the page.
// @ts-check
/** @import { AttentionMap, Model } from '../../shell/index.js' */

/** For the token that was just read, a map of each head over all tokens up to it. @typedef {AttentionMap[]} Look */

/**
 * Reads a text token by token. The attention of a token comes with the next one, so each prefix of the text is continued by one token.
 * @param {Model} model
 * @param {ArrayLike<number>} ids including the begin token
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
    if (run.finish === 'end') yield []; // the text could end here, which gives no attention
  }
}
