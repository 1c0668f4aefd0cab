// SPDX-License-Identifier: MIT
// Measures how well a model tags held-out sentences. The model runs in the wasm engine.
// @ts-check
import { readSentences } from '../../conllu.js';
import { readText } from '../../files.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/**
 * @typedef {Object} TagResult
 * @property {number} sentences
 * @property {number} skipped         number of skipped sentences; a sentence is skipped if a word has no tag ("_")
 * @property {number} words
 * @property {number} accuracy        fraction of the words whose predicted tag is the tag of the treebank
 * @property {number} unseen          number of words that do not occur in the training sentences
 * @property {number} unseenAccuracy  fraction of the unseen words with the correct tag
 * @property {number} natsPerWord     -log p(the treebank's tags | words) per word
 * @property {number} wordsPerSecond  speed of tagging, one sentence at a time
 */

/**
 * Reads the sentences of a treebank. In CoNLL-U, which has ten columns, column 2 is the word and column 4 is its universal part of speech.
 * In other tables, column 1 is the word and column 2 is the tag. An empty line ends a sentence.
 *
 * @param {string} text
 * @returns {{ words: string[], tags: string[] }[]}
 */
export function readTreebank(text) {
  return readSentences(text).map(({ rows, first }) => {
    const own = rows.map((row) => (row.length === 10 ? [row[1], row[3]] : row));
    if (own.some(([word, tag]) => !word || !tag)) throw new Error(`expected a word and a tag, separated by a tab, not "${first}"`);
    return { words: own.map(([word]) => word), tags: own.map(([, tag]) => tag) };
  });
}

/**
 * @param {Model} model
 * @param {string} file
 * @param {number} most  maximum number of sentences
 * @param {(done: string) => void} say
 * @returns {Promise<TagResult>}
 */
export async function scoreTags(model, file, most, say) {
  const all = readTreebank(readText(file));
  const open = all.filter(({ tags }) => tags.includes('_')).length;
  if (open > 0) console.error(`${open} sentences are skipped, because one of their words has no tag`);
  const sentences = all.filter(({ tags }) => !tags.includes('_')).slice(0, most);
  if (sentences.length === 0) throw new Error(`${file} holds no sentence${all.length > 0 ? ' whose words all have a tag' : ''}`);
  let words = 0,
    right = 0,
    unseen = 0,
    unseenRight = 0,
    nats = 0,
    ms = 0;
  for (const [i, sentence] of sentences.entries()) {
    const began = performance.now();
    const tagging = await model.tag(sentence.words);
    ms += performance.now() - began;
    nats += await tagging.score(sentence.tags);
    for (const [t, tag] of sentence.tags.entries()) {
      const hit = tagging.tags[t] === tag ? 1 : 0;
      words++;
      right += hit;
      if (tagging.seen[t]) continue;
      unseen++;
      unseenRight += hit;
    }
    if ((i + 1) % 100 === 0) say(`${i + 1} of ${sentences.length}: ${((100 * right) / words).toFixed(2)} %`);
  }
  return {
    sentences: sentences.length,
    skipped: open,
    words,
    accuracy: right / words,
    unseen,
    unseenAccuracy: unseen ? unseenRight / unseen : NaN,
    natsPerWord: nats / words,
    wordsPerSecond: (1000 * words) / ms,
  };
}
