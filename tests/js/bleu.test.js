// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Compares BLEU scores with published values and with values computed by hand (bleu.json). weights/train/test_text.py compares the scores
 * of the Python code with the same file.
 */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { bleu, bleuOf, words } from '../../weights/eval/bleu.js';
import { noData } from '../../weights/eval/held-out.js';
import { DATA_SETS } from '../../weights/eval/kinds/text/evaluation.js';
import { readPairs, scoreTranslations, withoutNames } from '../../weights/eval/kinds/text/translation.js';

/** @import { AnyInfo as ModelInfo } from '../../web/lib/engine/protocol.js' */

const fixture = JSON.parse(await readFile(new URL('bleu.json', import.meta.url), 'utf8'));

test('corpus BLEU equals the result of sacrebleu', () => {
  for (const { source, translations, references, bleu: expected, within } of fixture.corpora) {
    const { score } = bleu(translations, references);
    assert.ok(Math.abs(score - expected) <= within, `${source}: ${score}, not ${expected}`);
  }
});

test('the BLEU score computed from counts equals the result of sacrebleu', () => {
  for (const { source, correct, total, length, reference_length: referenceLength, bleu: expected, within } of fixture.counts) {
    const score = bleuOf({ correct, total, length, referenceLength });
    assert.ok(Math.abs(score - expected) <= within, `${source}: ${score}, not ${expected}`);
  }
});

test('the intermediate counts equal the published counts', () => {
  const { translations, references } = fixture.corpora[0]; // this corpus was published together with these counts
  const { correct, total, length, referenceLength } = bleu(translations, references);
  assert.deepEqual(
    { correct, total, length, referenceLength },
    { correct: [6, 4, 2, 1], total: [10, 8, 6, 4], length: 10, referenceLength: 7 },
  );
});

test('texts are split into the same words as by mteval-v13a', () => {
  for (const { text, words: expected } of fixture.words) assert.deepEqual(words(text), expected, text);
});

test('the case of letters matters unless the option lowercase is set', () => {
  assert.equal(bleu(['Ein Ä steht da'], ['ein ä steht da'], { lowercase: true }).score.toFixed(9), '100.000000000');
  assert.ok(bleu(['Ein Ä steht da'], ['ein ä steht da']).score < 100);
});

test('each reference needs a translation', () => {
  assert.throws(() => bleu(['a'], []), /1 translations, 0 references/);
  assert.throws(() => bleu(['a'], [[]]), /no reference/);
});

test('the sentence pairs of a file are translated and scored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  try {
    const file = join(folder, 'pairs.tsv');
    await writeFile(file, '\ufeffEin Hund .\tA dog is running .\r\n\nZwei\tTwo of them are there\tby somebody\n');
    assert.deepEqual(readPairs(file), [
      { source: 'Ein Hund .', target: 'A dog is running .' },
      { source: 'Zwei', target: 'Two of them are there' },
    ]);
    /** @type {unknown[]} */
    const asked = [];
    const model = {
      translate: (/** @type {string} */ text, /** @type {object} */ options) => {
        asked.push([text, options]);
        return { text: async () => (text === 'Zwei' ? 'Two of those' : 'a DOG is running.') };
      },
      score: async (/** @type {string} */ text, /** @type {{ source: string }} */ { source }) => ({
        nats: text.length + source.length,
        perToken: [1, 2, 3],
      }),
    };
    const shown = /** @type {string[][]} */ ([]);
    const result = await scoreTranslations(model, file, {
      most: 9,
      beams: 4,
      lengthPenalty: 0.6,
      say: () => {},
      tell: (...lines) => shown.push(lines),
    });
    assert.deepEqual(asked, [
      ['Ein Hund .', { beams: 4, lengthPenalty: 0.6 }],
      ['Zwei', { beams: 4, lengthPenalty: 0.6 }],
    ]);
    assert.deepEqual(shown[1], ['Zwei', 'Two of them are there', 'Two of those']);
    // 7 of 8 words match: 5 in the first sentence and 2 in the second. 5 of 6 pairs, 3 of 4 triples and 2 of 2 quadruples of words match.
    // The references have 10 words.
    assert.ok(Math.abs(result.bleu - 100 * Math.exp(1 - 10 / 8) * ((7 / 8) * (5 / 6) * (3 / 4)) ** 0.25) < 1e-9, String(result.bleu));
    assert.equal(result.lengthRatio, 0.8);
    assert.equal(result.nats, (18 + 10 + 21 + 4) / 2);
    assert.equal(result.natsPerToken, (18 + 10 + 21 + 4) / 6);
    assert.equal((await scoreTranslations(model, file, { most: 1, beams: 1, say: () => {} })).sentences, 1);
    for (const [text, error] of /** @type {[string, RegExp][]} */ ([
      ['a\tb\nc\n', /line 2 is not/],
      ['a\t \n', /line 1 is not/],
      ['\n', /no sentence/],
    ])) {
      await writeFile(file, text);
      assert.throws(() => readPairs(file), error);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the evaluation reports the BLEU score for each sentence length, and the sharpness of attention', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  try {
    const file = join(folder, 'pairs.tsv');
    const sentence = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => `w${i}`).join(' ');
    await writeFile(file, [9, 5, 7, 6, 12, 8, 10, 11].map((n) => `${sentence(n)}\t${sentence(n)}\n`).join(''));
    const model = {
      translate: (/** @type {string} */ text) => ({
        text: async () => (text.split(' ').length > 10 ? 'none of it' : text), // the model cannot translate long sentences
        async *[Symbol.asyncIterator]() {
          yield { alignment: [0.25, 0.25] }; // the evaluation must divide these weights by their sum, which is less than 1
          yield { alignment: [0, 1] };
        },
      }),
      score: async () => ({ nats: 1, perToken: [1] }),
    };
    const { byLength, entropy } = await scoreTranslations(model, file, { most: 9, beams: 1, lengths: true, say: () => {} });
    assert.deepEqual(
      byLength?.map(({ words }) => words),
      [
        [5, 6],
        [7, 8],
        [9, 10],
        [11, 12],
      ],
    );
    assert.deepEqual(
      byLength?.map(({ bleu: score }) => Math.round(score)),
      [100, 100, 100, 0],
    );
    assert.ok(Math.abs(Number(entropy) - Math.LN2 / 2) < 1e-12);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('for a model trained on Multi30k, the error names the command that writes the test sentences', () => {
  const info = /** @type {ModelInfo} */ (/** @type {unknown} */ ({ name: 'de-en', card: { dataset: 'Multi30k, German and English' } }));
  assert.match(
    noData(info, DATA_SETS).message,
    /--data build\/multi30k-test\.tsv, which python3 weights\/train\/held_out\.py multi30k build\/multi30k-test writes/,
  );
});

test('a first line that names the languages is not read as a pair', () => {
  const pair = { source: 'Ein Hund', target: 'A dog' };
  for (const [source, target] of [
    ['de', 'en'],
    ['Source', 'Translation'],
    ['fr', 'EN'],
  ])
    assert.deepEqual(withoutNames([{ source, target }, pair]), [pair]);
  assert.deepEqual(withoutNames([{ source: 'English', target: 'German' }, pair]), [{ source: 'A dog', target: 'Ein Hund' }]);
  for (const [source, target] of [
    ['en', 'en'],
    ['Ja', 'Yes'],
    ['Deutsch', 'German'],
  ])
    assert.deepEqual(withoutNames([{ source, target }, pair]), [{ source, target }, pair]);
});
