// SPDX-License-Identifier: MIT
// How well a model translates held-out sentences, through the wasm: lower-cased BLEU, see bleu.js.
// @ts-check
import { readFileSync } from 'node:fs';
import { bleu } from './bleu.js';

/**
 * What is asked of a model here.
 * @typedef {Object} Translator
 * @property {(text: string, options: { beams: number, lengthPenalty?: number }) => { text: () => Promise<string> }} translate
 * @property {(text: string, options: { source: string }) => Promise<{ nats: number, perToken: ArrayLike<number> }>} score  of a translation of `source`
 */

/**
 * @typedef {Object} TranslationResult
 * @property {number} sentences
 * @property {number} beams
 * @property {number | undefined} lengthPenalty   undefined: the library's own
 * @property {number} bleu         of all sentences together, in small letters, words as sacrebleu cuts them by default
 * @property {number} lengthRatio  words of the translations / words of the references
 * @property {number} nats         -log p of a reference, the mean over sentences
 * @property {number} natsPerToken
 * @property {number} secondsPerSentence   of translating, with the time in which the encoder reads
 */

/**
 * Pairs of sentences, a line each: the sentence, a tab, its translation.
 * @param {string} file
 * @returns {{ source: string, target: string }[]}
 */
export function readPairs(file) {
  const lines = readFileSync(file, 'utf8').replace(/^\ufeff/, '').split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new Error(`${file} holds no sentence`);
  return lines.map((line, i) => {
    const [source, target, ...more] = line.split('\t').map((side) => side.trim());
    if (!source || !target || more.length > 0) throw new Error(`${file}: line ${i + 1} is not a sentence, a tab and its translation`);
    return { source, target };
  });
}

/**
 * @param {Translator} model
 * @param {string} file  a .tsv of pairs
 * @param {{ most: number, beams: number, lengthPenalty?: number, say: (done: string) => void,
 *   tell?: (source: string, target: string, found: string) => void }} options
 *   most: sentences at most; tell: is given each sentence, its reference and its translation
 * @returns {Promise<TranslationResult>}
 */
export async function scoreTranslations(model, file, { most, beams, lengthPenalty, say, tell }) {
  if (!(most >= 1)) throw new Error('--images takes a positive number');
  if (!Number.isInteger(beams) || beams < 1) throw new Error('--beams takes a whole number from 1 on');
  const pairs = readPairs(file).slice(0, most);
  /** @type {string[]} */
  const found = [];
  let nats = 0, tokens = 0, seconds = 0;
  for (const { source, target } of pairs) {
    const started = performance.now();
    const text = await model.translate(source, { beams, ...(lengthPenalty !== undefined && { lengthPenalty }) }).text();
    seconds += (performance.now() - started) / 1000;
    found.push(text);
    const scored = await model.score(target, { source });
    nats += scored.nats;
    tokens += scored.perToken.length;
    tell?.(source, target, text);
    say(`${found.length} of ${pairs.length}`);
  }
  const { score, length, referenceLength } = bleu(found, pairs.map(({ target }) => target), { lowercase: true });
  return {
    sentences: pairs.length, beams, lengthPenalty, bleu: score, lengthRatio: length / referenceLength, nats: nats / pairs.length,
    natsPerToken: nats / tokens, secondsPerSentence: seconds / pairs.length,
  };
}
