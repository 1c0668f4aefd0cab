// SPDX-License-Identifier: MIT
// Measures how well a model translates held-out sentences. The measure is lower-cased BLEU (weights/eval/bleu.js). The model runs in the
// wasm engine.
// @ts-check
import { bleu, words } from '../../bleu.js';
import { readText } from '../../files.js';

/**
 * The methods of a translation model that this script uses.
 * @typedef {Object} Translator
 * @property {(text: string, options: { beams: number, lengthPenalty?: number, maps?: boolean }) => { text: () => Promise<string> }} translate
 * @property {(text: string, options: { source: string }) => Promise<{ nats: number, perToken: ArrayLike<number> }>} score  scores
 *   `text` as a translation of `source`
 */

/**
 * @typedef {Object} TranslationResult
 * @property {number} sentences
 * @property {number} beams
 * @property {number | undefined} lengthPenalty   undefined: the library's default
 * @property {number} bleu         BLEU of all sentences together, lower-cased, with sacrebleu's default tokenization
 * @property {number} lengthRatio  number of words of the translations / number of words of the references
 * @property {number} nats         mean of -log p(reference) over the sentences
 * @property {number} natsPerToken
 * @property {number} secondsPerSentence   time per translation, including the encoder
 * @property {{ words: [number, number], bleu: number }[]} [byLength]  if requested: BLEU for each quarter of the sentences, sorted by
 *   length, and the minimum and maximum number of words in the quarter
 * @property {number} [entropy]    if requested: entropy of the attention weights over the source sentence, in nats, averaged over the
 *   tokens of the translations
 * @property {number} [looked]     if requested: sum of the attention weights over the tokens of the source sentence. The sum is 1 for a
 *   softmax, but can differ from 1 for a model with a sigmoid for each source token
 */

/** The sentences are sorted by length and divided into this many parts. */
const PARTS = 4;

/** Names of the columns in the first line of a table, as in weights/train/data/pairs.py. */
const SOURCE = /^(source|src|de|deu|ger|german|deutsch)$/i;
const TARGET = /^(target|tgt|translation|en|eng|english|englisch)$/i;
const CODE = /^[a-z]{2,3}$/i;
const ENGLISH = /^en(g)?$/i;

/**
 * Removes a first line that names the languages, as training does. If the second column of this line names the source language, the two
 * sides of each pair are swapped.
 * @param {{ source: string, target: string }[]} pairs
 * @returns {{ source: string, target: string }[]}
 */
export function withoutNames(pairs) {
  const [{ source: a, target: b }, ...rest] = pairs;
  if (TARGET.test(a) && SOURCE.test(b)) return rest.map(({ source, target }) => ({ source: target, target: source }));
  const named = CODE.test(a) && CODE.test(b) && a.toLowerCase() !== b.toLowerCase() && (ENGLISH.test(a) || ENGLISH.test(b));
  return named || (SOURCE.test(a) && TARGET.test(b)) ? rest : pairs;
}

/**
 * Reads pairs of sentences, one per line: the sentence, a tab, its translation.
 * @param {string} file
 * @returns {{ source: string, target: string }[]}
 */
export function readPairs(file) {
  const lines = readText(file)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new Error(`${file} holds no sentence`);
  return lines.map((line, i) => {
    const [source, target] = line.split('\t').map((side) => side.trim()); // ignores a third column, which names the translator
    if (!source || !target) throw new Error(`${file}: line ${i + 1} is not a sentence, a tab and its translation`);
    return { source, target };
  });
}

/**
 * @param {Translator} model
 * @param {string} file  a .tsv file of pairs
 * @param {{ most: number, beams: number, lengthPenalty?: number, lengths?: boolean, say: (done: string) => void,
 *   tell?: (source: string, target: string, found: string) => void }} options
 *   most: maximum number of sentences. lengths: if true, also measures BLEU by sentence length and the entropy of attention, which doubles
 *   the time. tell: receives each sentence, its reference and its translation
 * @returns {Promise<TranslationResult>}
 */
export async function scoreTranslations(model, file, { most, beams, lengthPenalty, lengths = false, say, tell }) {
  const all = readPairs(file);
  const sentences = withoutNames(all);
  if (sentences.length < all.length) console.error(`${file}: the first line names the languages, and is not measured`);
  if (sentences.length === 0) throw new Error(`${file} holds no sentence`);
  const pairs = sentences.slice(0, most);
  /** @type {string[]} */
  const found = [];
  let nats = 0,
    tokens = 0,
    seconds = 0;
  const sharpness = { nats: 0, looked: 0, steps: 0 };
  for (const { source, target } of pairs) {
    const started = performance.now();
    const text = await model.translate(source, { beams, ...(lengthPenalty !== undefined && { lengthPenalty }) }).text();
    seconds += (performance.now() - started) / 1000;
    found.push(text);
    const scored = await model.score(target, { source });
    nats += scored.nats;
    tokens += scored.perToken.length;
    if (lengths) {
      /** @type {any} */
      const looking = model.translate(source, { beams, maps: true });
      for await (const { alignment } of looking) {
        sharpness.nats += alignment ? entropyOf(alignment) : 0;
        sharpness.looked += Array.from(alignment ?? []).reduce((sum, weight) => sum + weight, 0);
        sharpness.steps++;
      }
    }
    tell?.(source, target, text);
    say(`${found.length} of ${pairs.length}`);
  }
  const { score, length, referenceLength } = bleu(
    found,
    pairs.map(({ target }) => target),
    { lowercase: true },
  );
  return {
    sentences: pairs.length,
    beams,
    lengthPenalty,
    bleu: score,
    lengthRatio: length / referenceLength,
    nats: nats / pairs.length,
    natsPerToken: nats / tokens,
    secondsPerSentence: seconds / pairs.length,
    ...(lengths && {
      byLength: byLength(pairs, found),
      entropy: sharpness.nats / Math.max(1, sharpness.steps),
      looked: sharpness.looked / Math.max(1, sharpness.steps),
    }),
  };
}

/** Returns the entropy of weights after normalising their sum to 1. @param {ArrayLike<number>} weights */
function entropyOf(weights) {
  const all = Array.from(weights);
  const sum = all.reduce((total, weight) => total + weight, 0);
  return all.reduce((total, weight) => total - (weight > 0 ? (weight / sum) * Math.log(weight / sum) : 0), 0);
}

/**
 * Computes BLEU for each quarter of the sentences, from the shortest sentences to the longest.
 * @param {{ source: string, target: string }[]} pairs
 * @param {string[]} found
 * @returns {{ words: [number, number], bleu: number }[]}
 */
function byLength(pairs, found) {
  const all = pairs
    .map(({ source, target }, i) => ({ length: words(source).length, target, text: found[i] }))
    .sort((a, b) => a.length - b.length);
  return Array.from({ length: PARTS }, (_, k) => {
    const part = all.slice(Math.round((k * all.length) / PARTS), Math.round(((k + 1) * all.length) / PARTS));
    if (part.length === 0) return { words: [0, 0], bleu: 0 };
    const { score } = bleu(
      part.map(({ text }) => text),
      part.map(({ target }) => target),
      { lowercase: true },
    );
    return { words: [part[0].length, part[part.length - 1].length], bleu: score };
  });
}
