// SPDX-License-Identifier: MIT
// Counts the held-out words that a model reverses without any mistake, with greedy decoding in the wasm engine:
//
//   python3 weights/train/held_out.py letters build/letters-test
//   npm run eval -- weights/opened.gguf --data build/letters-test.tsv
//   npm run eval -- weights/opened-decoder.gguf --data build/letters-test.tsv
//
// Each line of the file is a word, a tab and the correct answer. The prompt of a language model is the word followed by "=".
// @ts-check
import { readPairs } from './translation.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/** Returns the model's answer for a word, and the nats of the answer. @param {Model} model @param {string} word */
export async function answer(model, word) {
  const run = model.info.verbs.includes('translate')
    ? model.translate(word)
    : model.generate(`${word}=`, { temperature: 0, maxTokens: word.length + 1 });
  let [text, nats] = ['', 0];
  for await (const step of run) {
    text += step.text;
    nats += step.nats;
  }
  return { text, nats, ended: run.finish === 'end' };
}

/** @param {Model} model @param {string} file */
export async function scoreWords(model, file) {
  const pairs = readPairs(file);
  /** @type {string[]} */
  const wrong = [];
  for (const { source, target } of pairs) {
    const { text, ended } = await answer(model, source);
    if (text !== target || !ended) wrong.push(`${source} ${text}`);
  }
  return { words: pairs.length, right: pairs.length - wrong.length, wrong };
}
