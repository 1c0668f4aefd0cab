// SPDX-License-Identifier: MIT
// What held-out texts cost under a model of language, through the wasm.
// @ts-check
import { readFileSync } from 'node:fs';

/** @import { Model } from '../../web/lib/index.js' */

/**
 * @typedef {Object} TextResult
 * @property {number} texts
 * @property {number} bytes           of all texts, in UTF-8
 * @property {number} tokens          that were predicted
 * @property {number} natsPerByte     of these tokens
 * @property {number} bitsPerByte
 * @property {number} natsPerToken
 * @property {number} perplexity      e^natsPerToken
 * @property {number} tokensPerSecond of scoring, where a token that is repeated as context counts once
 */

/**
 * Scores texts one by one. Of a text longer than the model's context each stretch begins with the newer half of the one before, so all
 * tokens but the first ones have at least half a context before them.
 *
 * @param {Model} model
 * @param {string} file     texts, a form feed between them
 * @param {number} most     texts at most
 * @param {(done: string) => void} say
 * @returns {Promise<TextResult>}
 */
export async function scoreTexts(model, file, most, say) {
  const texts = readFileSync(file, 'utf8').split('\f').filter((text) => text.trim() !== '').slice(0, most);
  if (texts.length === 0) throw new Error(`${file} holds no text`);
  let nats = 0, tokens = 0, bytes = 0, counted = 0;
  const started = performance.now();
  for (const [i, text] of texts.entries()) {
    const scored = await model.score(text);
    nats += scored.nats;
    tokens += scored.perToken.length;
    counted += scored.nats / scored.natsPerByte;
    bytes += Buffer.byteLength(text);
    say(`${i + 1} of ${texts.length}: ${(nats / counted).toFixed(4)} nats a byte`);
  }
  const seconds = (performance.now() - started) / 1000;
  return {
    texts: texts.length, bytes, tokens, natsPerByte: nats / counted, bitsPerByte: nats / counted / Math.LN2, natsPerToken: nats / tokens,
    perplexity: Math.exp(nats / tokens), tokensPerSecond: tokens / seconds,
  };
}
