// SPDX-License-Identifier: MIT
// For a language model, --data is a file of texts separated by form feeds. The results are the negative log-likelihood in nats per byte and
// per token. --images is the number of texts.
//
//   npm run eval -- weights/stories.gguf --data build/stories-test.txt
//
// For a translation model, each line of the --data file is a sentence, a tab and the translation of the sentence. A first line that names
// the languages is skipped. The results are lower-cased BLEU (weights/eval/bleu.js), the negative log-likelihood per reference in nats, and
// the time per translation. --beams 1 (the default) is greedy decoding. --images is the number of sentences. --show prints each sentence
// with its reference and its translation. --lengths sorts the sentences by length and prints BLEU for each quarter; it also prints the
// entropy of the attention weights over the source sentence.
//
//   npm run eval -- weights/de-en.gguf --data build/multi30k-test.tsv [--beams 4] [--length-penalty 0.6] [--lengths] [--show]
//
// For a model that reverses single words (trained on the data set `letters`), each line of the --data file is a word, a tab and the correct
// answer. The result is the number of entirely correct answers.
//
//   npm run eval -- weights/opened.gguf --data build/letters-test.tsv
// @ts-check
import { reporter } from '../../reporter.js';
import { scoreTexts } from './text.js';
import { scoreTranslations } from './translation.js';
import { scoreWords } from './words.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */
/** @import { DataSet } from '../../held-out.js' */
/** @import { Translator } from './translation.js' */

/** Matches the name of the data set of reversed words. A model trained on this data set outputs a single word instead of sentences. */
const LETTERS = /\bletters\.py\b/;

/** @type {DataSet[]} */
export const DATA_SETS = [
  { dataset: /\bTinyStories\b/, data: 'build/stories-test.txt', make: 'python3 weights/train/held_out.py stories build/stories-test' },
  { dataset: /\bMulti30k\b/, data: 'build/multi30k-test.tsv', make: 'python3 weights/train/held_out.py multi30k build/multi30k-test' },
  { dataset: LETTERS, data: 'build/letters-test.tsv', make: 'python3 weights/train/held_out.py letters build/letters-test' },
];

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function evaluateTexts(model, file, { data, images = 'Infinity', json }) {
  const { say, print } = reporter(file, { json });
  const result = await scoreTexts(model, data, Number(images), say);
  print(
    result,
    `: ${result.texts} texts, ${result.bytes.toLocaleString('en')} bytes, ${result.tokens.toLocaleString('en')} tokens: ` +
      `${result.natsPerByte.toFixed(4)} nats a byte (${result.bitsPerByte.toFixed(3)} bits), ${result.natsPerToken.toFixed(3)} a token ` +
      `(perplexity ${result.perplexity.toFixed(2)}); ${Math.round(result.tokensPerSecond)} tokens scored a second`,
  );
}

/**
 * @param {Translator} model
 * @param {string} file
 * @param {{ data: string, images?: string, beams: string, 'length-penalty'?: string, lengths: boolean, show: boolean,
 *   json: boolean }} options
 */
async function evaluateTranslations(model, file, { data, images = 'Infinity', beams, 'length-penalty': penalty, lengths, show, json }) {
  const { say, print } = reporter(file, { json, show });
  const result = await scoreTranslations(model, data, {
    most: Number(images),
    beams: Number(beams),
    lengthPenalty: penalty === undefined ? undefined : Number(penalty),
    lengths,
    say,
    tell: show ? (...lines) => console.log(lines.join('\n    ')) : undefined,
  });
  print(
    result,
    `: ${result.sentences} sentences, ${beams === '1' ? 'greedy' : `${beams} beams`}: BLEU ${result.bleu.toFixed(2)} ` +
      `(lower-cased, 13a; ${result.lengthRatio.toFixed(3)} of the references' length), ${result.nats.toFixed(2)} nats a reference, ` +
      `${result.natsPerToken.toFixed(3)} a token; ${(1000 * result.secondsPerSentence).toFixed(1)} ms a sentence` +
      (result.byLength
        ? `; by words of the sentence ${result.byLength.map(({ words, bleu }) => `${words.join('-')}: ${bleu.toFixed(2)}`).join(', ')}; ` +
          `entropy of attention ${(result.entropy ?? 0).toFixed(3)} nats, its weights add up to ${(result.looked ?? 0).toFixed(2)}`
        : ''),
  );
}

/** @param {Model} model @param {string} file @param {{ data: string, json: boolean }} options */
async function evaluateWords(model, file, { data, json }) {
  const { words, right, wrong } = await scoreWords(model, data);
  reporter(file, { json }).print(
    { words, right },
    `: ${right} of ${words} words right (${((100 * right) / words).toFixed(2)} %)${wrong.length > 0 ? `; wrong: ${wrong.slice(0, 20).join(', ')}` : ''}`,
  );
}

/** @param {Model} model @param {string} file @param {any} options */
export function evaluate(model, file, options) {
  const { info } = model;
  if (LETTERS.test(info.card.dataset ?? '')) return evaluateWords(model, file, options);
  if (info.verbs.includes('generate')) return evaluateTexts(model, file, options);
  return evaluateTranslations(/** @type {Translator} */ (/** @type {unknown} */ (model)), file, options);
}
