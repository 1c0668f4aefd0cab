// SPDX-License-Identifier: MIT
// What held-out texts cost under a model of language, through the wasm: whole, with half a context before each token, or in pieces of a context each.
// @ts-check
import { readFileSync } from 'node:fs';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

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
  const texts = readFileSync(file, 'utf8')
    .replace(/^\ufeff/, '')
    .split('\f')
    .filter((text) => text.trim() !== '')
    .slice(0, most);
  if (texts.length === 0) throw new Error(`${file} holds no text`);
  let nats = 0,
    tokens = 0,
    bytes = 0,
    counted = 0;
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
    texts: texts.length,
    bytes,
    tokens,
    natsPerByte: nats / counted,
    bitsPerByte: nats / counted / Math.LN2,
    natsPerToken: nats / tokens,
    perplexity: Math.exp(nats / tokens),
    tokensPerSecond: tokens / seconds,
  };
}

/**
 * Scores a text in pieces of as many tokens as the model knows positions; each begins with the id that begins a text, so that the first tokens of
 * a piece are guessed from little, the same for every file.
 *
 * @param {Model} model
 * @param {Uint32Array} ids  its tokens
 * @returns {Promise<{ nats: number, tokens: number }>} the mean of all tokens, and their number
 */
export async function scorePieces(model, ids) {
  const begin = model.tokenizer.begin ?? 1,
    most = model.info.positions - 1;
  let sum = 0;
  for (let from = 0; from < ids.length; from += most)
    sum += (await model.score(Uint32Array.of(begin, ...ids.subarray(from, from + most)))).nats;
  return { nats: sum / ids.length, tokens: ids.length };
}
