// SPDX-License-Identifier: MIT
// How many held-out words a model of single words answers to the last letter, through the wasm, always by the most probable one:
//
//   python3 weights/train/held_out.py letters build/letters-test
//   node tests/bench/eval-words.js weights/opened.gguf build/letters-test.tsv
//   node tests/bench/eval-words.js weights/opened-decoder.gguf build/letters-test.tsv
//
// A model of language is asked with = after the word. The file is a word, a tab and its answer a line.
// @ts-check
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from '../../web/lib/index.js';
import { readPairs } from './eval-translation.js';

/** @import { Model } from '../../web/lib/index.js' */

/** What a model makes of a word, and its nats. @param {Model} model @param {string} word */
export async function answer(model, word) {
  const run = model.info.tasks.includes('translate') ? model.translate(word) : model.tokens(`${word}=`, { temperature: 0, maxTokens: word.length + 1 });
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

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [weights, file] = process.argv.slice(2);
  if (!file) throw new Error('node tests/bench/eval-words.js WEIGHTS.gguf WORDS.tsv');
  const model = await load(weights);
  const { words, right, wrong } = await scoreWords(model, file);
  model.close();
  console.log(`${weights}: ${right} of ${words} words right (${((100 * right) / words).toFixed(2)} %)${wrong.length > 0 ? `; wrong: ${wrong.slice(0, 20).join(', ')}` : ''}`);
}
