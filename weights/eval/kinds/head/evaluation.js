// SPDX-License-Identifier: MIT
// For a dependency parser, --data is a treebank in CoNLL-U, or a table with a line for each word and an empty line after each
// sentence. The table has tab-separated columns: the first is the word, the third is the index of its head, and the second is not used. The
// first result is the fraction of words (including punctuation) with the correct head. The second result is the negative log-likelihood of
// the treebank's heads, in nats per word. --images is the number of sentences.
//
//   npm run eval -- weights/parents-en.gguf --data FILE.conllu
// @ts-check
import { reporter } from '../../reporter.js';
import { scoreHeads } from './heads.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

export { DATA_SETS } from '../../conllu.js';

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
export async function evaluate(model, file, { data, images = 'Infinity', json }) {
  const { say, print } = reporter(file, { json });
  const result = await scoreHeads(model, data, Number(images), say);
  print(
    result,
    `: ${result.sentences} sentences, ${result.words} words: ${(100 * result.attachment).toFixed(2)} % get the right head, ` +
      `in ${(100 * result.whole).toFixed(2)} % of the sentences all words do; ${result.natsPerWord.toFixed(4)} nats a word of the ${result.projective} sentences without crossing arcs; ` +
      `${Math.round(result.wordsPerSecond)} words a second`,
  );
}
