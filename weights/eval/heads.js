// SPDX-License-Identifier: MIT
// How well a model finds the parents of words in held-out sentences, through the wasm.
// @ts-check
import { readFileSync } from 'node:fs';

/** @import { Model } from '../../web/lib/index.js' */

/**
 * @typedef {Object} HeadResult
 * @property {number} sentences
 * @property {number} words
 * @property {number} attachment      share of the words that get their parent, punctuation counted (unlabelled attachment)
 * @property {number} whole           share of the sentences of which all do
 * @property {number} projective      sentences whose own parents are a tree without crossing arcs; only these have nats
 * @property {number} natsPerWord     -log p(the treebank's parents | words), a word of these
 * @property {number} wordsPerSecond  of parsing, one sentence at a time
 */

/**
 * The sentences of a treebank: CoNLL-U (the second of ten columns is the word, the seventh the number of its parent), or lines of which the first and third
 * column are these, an empty line after each sentence.
 *
 * @param {string} text
 * @returns {{ words: string[], heads: number[] }[]}
 */
export function readHeads(text) {
  return text.replaceAll('\r', '').split(/\n\n+/).map((block) => {
    const rows = block.split('\n').filter((line) => line !== '' && !line.startsWith('# ')).map((line) => line.split('\t'));
    const own = rows.filter((row) => row.length !== 10 || /^\d+$/.test(row[0])).map((row) => (row.length === 10 ? [row[1], row[6]] : [row[0], row[2]]));
    if (own.some(([word, head]) => !word || !/^\d+$/.test(head ?? ''))) throw new Error(`not a word and the number of its parent, apart by tabs: "${block.split('\n')[0]}"`);
    return { words: own.map(([word]) => word), heads: own.map(([, head]) => Number(head)) };
  }).filter(({ words }) => words.length > 0);
}

/**
 * @param {Model} model
 * @param {string} file
 * @param {number} most  sentences at most
 * @param {(done: string) => void} say
 * @returns {Promise<HeadResult>}
 */
export async function scoreHeads(model, file, most, say) {
  const sentences = readHeads(readFileSync(file, 'utf8')).slice(0, most);
  if (sentences.length === 0) throw new Error(`${file} holds no sentence`);
  let words = 0, right = 0, whole = 0, projective = 0, counted = 0, nats = 0, ms = 0;
  for (const [i, sentence] of sentences.entries()) {
    const began = performance.now();
    const parse = await model.parse(sentence.words);
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
    if ((i + 1) % 100 === 0) say(`${i + 1} of ${sentences.length}: ${(100 * right / words).toFixed(2)} %`);
  }
  return { sentences: sentences.length, words, attachment: right / words, whole: whole / sentences.length, projective, natsPerWord: nats / counted, wordsPerSecond: 1000 * words / ms };
}
