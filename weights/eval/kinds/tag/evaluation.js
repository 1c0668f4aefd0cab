// SPDX-License-Identifier: MIT
// For a tagging model, --data is a treebank, either in CoNLL-U or as a table. Each line of a table is a word, a tab and the tag of the
// word; an empty line follows each sentence. The first two results are the fraction of words with the correct tag, among all words and
// among the words that are not in the training data. The third result is the negative log-likelihood of the treebank's tags, in nats per
// word. --images is the number of sentences.
//
//   npm run eval -- weights/crf-en.gguf --data FILE.conllu
// @ts-check
import { reporter } from '../../reporter.js';
import { scoreTags } from './tags.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

export { DATA_SETS } from '../../conllu.js';

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
export async function evaluate(model, file, { data, images = 'Infinity', json }) {
  const { say, print } = reporter(file, { json });
  const result = await scoreTags(model, data, Number(images), say);
  print(
    result,
    `: ${result.sentences} sentences, ${result.words} words: ${(100 * result.accuracy).toFixed(2)} % get the right tag, ` +
      `${(100 * result.unseenAccuracy).toFixed(2)} % of the ${result.unseen} unseen in training; ${result.natsPerWord.toFixed(4)} nats a word; ` +
      `${Math.round(result.wordsPerSecond)} words a second`,
  );
}
