// SPDX-License-Identifier: MIT
// Measures the negative log-likelihood of held-out texts under a language model in the wasm engine. Texts are scored either in chunks that
// overlap by half a context, or in chunks of one context that do not overlap.
// @ts-check
import { readText } from '../../files.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/**
 * @typedef {Object} TextResult
 * @property {number} texts
 * @property {number} bytes           number of bytes of all texts in UTF-8
 * @property {number} tokens          number of predicted tokens
 * @property {number} natsPerByte     negative log-likelihood of the predicted tokens, divided by `bytes`
 * @property {number} bitsPerByte
 * @property {number} natsPerToken
 * @property {number} perplexity      e^natsPerToken
 * @property {number} tokensPerSecond speed of scoring; a token in the overlap of two chunks is counted only once
 */

/**
 * Scores texts one by one. A text longer than the model's context is scored in chunks. Each chunk begins with the second half of the
 * previous chunk. So each token has at least half a context before it, except the tokens in the first half-context of the text.
 *
 * @param {Model} model
 * @param {string} file     a file of texts separated by form feeds
 * @param {number} most     maximum number of texts
 * @param {(done: string) => void} say
 * @returns {Promise<TextResult>}
 */
export async function scoreTexts(model, file, most, say) {
  const texts = readText(file)
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
 * Scores a text in chunks of one context each, which do not overlap. Each chunk begins with the BOS id, so the first tokens of a chunk have
 * little context. The chunk boundaries do not depend on the model file, so the scores of different model files can be compared.
 *
 * @param {Model} model
 * @param {Uint32Array} ids  the text's tokens
 * @returns {Promise<{ nats: number, tokens: number }>} nats: mean over all tokens; tokens: number of tokens
 */
export async function scorePieces(model, ids) {
  const begin = model.tokenizer.begin ?? 1,
    most = model.info.positions - 1;
  let sum = 0;
  for (let from = 0; from < ids.length; from += most)
    sum += (await model.score(Uint32Array.of(begin, ...ids.subarray(from, from + most)))).nats;
  return { nats: sum / ids.length, tokens: ids.length };
}
