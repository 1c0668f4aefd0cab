// SPDX-License-Identifier: MIT
// Measures how well a model finds the heads of words in held-out sentences. The model runs in the wasm engine.
// @ts-check
import { readSentences } from '../../conllu.js';
import { readText } from '../../files.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/**
 * @typedef {Object} HeadResult
 * @property {number} sentences
 * @property {number} skipped         number of skipped sentences. A sentence is skipped if one of its words has no head, or if the sentence
 *   is longer than the model's context
 * @property {number} words
 * @property {number} attachment      fraction of the words with the correct head, including punctuation (unlabelled attachment score)
 * @property {number} whole           fraction of the sentences that are entirely correct
 * @property {number} projective      number of sentences with a projective tree in the treebank
 * @property {number} natsPerWord     -log p(the treebank's heads | words) per word, over the projective sentences only
 * @property {number} wordsPerSecond  speed of parsing, one sentence at a time
 */

/**
 * Reads the sentences of a treebank. In CoNLL-U, which has ten columns, column 2 is the word and column 7 is the index of its head. In
 * other tables, column 1 is the word and column 3 is the index of its head. An empty line ends a sentence. A missing head, `_`, is returned
 * as -1.
 *
 * @param {string} text
 * @returns {{ words: string[], heads: number[] }[]}
 */
export function readHeads(text) {
  return readSentences(text).map(({ rows, first }) => {
    const own = rows.map((row) => (row.length === 10 ? [row[1], row[6]] : [row[0], row[2]]));
    if (own.some(([word, head]) => !word || !/^(\d+|_)$/.test(head ?? '')))
      throw new Error(`expected a word and the index of its head, separated by tabs, not "${first}"`);
    return { words: own.map(([word]) => word), heads: own.map(([, head]) => (head === '_' ? -1 : Number(head))) };
  });
}

/**
 * @param {Model} model
 * @param {string} file
 * @param {number} most  maximum number of sentences
 * @param {(done: string) => void} say
 * @returns {Promise<HeadResult>}
 */
export async function scoreHeads(model, file, most, say) {
  const all = readHeads(readText(file));
  const sentences = all.filter(({ heads }) => !heads.includes(-1)).slice(0, most);
  if (sentences.length === 0) throw new Error(`${file} holds no sentence${all.length > 0 ? ' whose words all have a head' : ''}`);
  let long = 0;
  let words = 0,
    right = 0,
    whole = 0,
    projective = 0,
    counted = 0,
    nats = 0,
    ms = 0;
  for (const [i, sentence] of sentences.entries()) {
    const began = performance.now();
    const parse = await model.parse(sentence.words).catch((error) => {
      if (error.code === 'limit') return undefined; // the sentence has more words than the model's context
      throw error;
    });
    if (!parse) {
      long++;
      continue;
    }
    ms += performance.now() - began;
    const hits = sentence.heads.filter((head, m) => parse.heads[m] === head).length;
    words += sentence.words.length;
    right += hits;
    if (hits === sentence.words.length) whole++;
    try {
      nats += await parse.score(sentence.heads);
      projective++;
      counted += sentence.words.length;
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== 'argument') throw error;
    }
    if ((i + 1) % 100 === 0) say(`${i + 1} of ${sentences.length}: ${((100 * right) / words).toFixed(2)} %`);
  }
  if (sentences.length === long) throw new Error(`${file} holds no sentence that fits the model's context`);
  const skipped = all.filter(({ heads }) => heads.includes(-1)).length + long;
  if (skipped > 0) console.error(`${skipped} sentences are skipped: ${long} exceed the model's context; in the others, a word has no head`);
  return {
    sentences: sentences.length - long,
    skipped,
    words,
    attachment: right / words,
    whole: whole / (sentences.length - long),
    projective,
    natsPerWord: nats / counted,
    wordsPerSecond: (1000 * words) / ms,
  };
}
