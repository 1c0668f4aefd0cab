// SPDX-License-Identifier: MIT
// How well a model finds the parents of words in held-out sentences, through the wasm.
// @ts-check
import { readFileSync } from 'node:fs';
import { readSentences } from './conllu.js';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

/**
 * @typedef {Object} HeadResult
 * @property {number} sentences
 * @property {number} skipped         sentences besides, with a word whose parent is left open, or longer than the model reads
 * @property {number} words
 * @property {number} attachment      share of the words that get their parent, punctuation counted (unlabelled attachment)
 * @property {number} whole           fraction of the entirely correct sentences
 * @property {number} projective      sentences whose own parents are a tree without crossing arcs; only these have nats
 * @property {number} natsPerWord     -log p(the treebank's parents | words), a word of these
 * @property {number} wordsPerSecond  of parsing, one sentence at a time
 */

/**
 * The sentences of a treebank: CoNLL-U (the second of ten columns is the word, the seventh the number of its head), or lines of which the
 * first and third column are these, an empty line after each sentence. A missing head, `_`, is -1.
 *
 * @param {string} text
 * @returns {{ words: string[], heads: number[] }[]}
 */
export function readHeads(text) {
  return readSentences(text).map(({ rows, first }) => {
    const own = rows.map((row) => (row.length === 10 ? [row[1], row[6]] : [row[0], row[2]]));
    if (own.some(([word, head]) => !word || !/^(\d+|_)$/.test(head ?? '')))
      throw new Error(`not a word and the number of its parent, apart by tabs: "${first}"`);
    return { words: own.map(([word]) => word), heads: own.map(([, head]) => (head === '_' ? -1 : Number(head))) };
  });
}

/**
 * @param {Model} model
 * @param {string} file
 * @param {number} most  sentences at most
 * @param {(done: string) => void} say
 * @returns {Promise<HeadResult>}
 */
export async function scoreHeads(model, file, most, say) {
  const all = readHeads(readFileSync(file, 'utf8'));
  const sentences = all.filter(({ heads }) => !heads.includes(-1)).slice(0, most);
  if (sentences.length === 0) throw new Error(`${file} holds no sentence${all.length > 0 ? ' whose words all have a parent' : ''}`);
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
      if (error.code === 'limit') return undefined; // more words than the model reads
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
  if (sentences.length === long) throw new Error(`${file} holds no sentence that is as short as the model reads`);
  const skipped = all.filter(({ heads }) => heads.includes(-1)).length + long;
  if (skipped > 0)
    console.error(`${skipped} sentences are left out: ${long} are longer than the model reads, of the others a word has no parent`);
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
