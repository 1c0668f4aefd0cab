// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests recurrent networks through the library. Models with each type of attention must translate and return their maps, and the memory
 * network must generate text. Unusual or invalid input must be handled as in other models.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { bell, cellTerms, centreOf, rowSum, windowOf } from '../../web/pages/alignment/terms.js';
import { PLAYERS, cosine, mixture, order, softmax, weights } from '../../web/pages/alignment/fit.js';
import { readGguf } from '../../web/shell/model/gguf.js';
import { logit, marginals, part, segmentsOf, times } from '../../web/pages/structure/bits.js';
import { alike, chainOf } from '../../web/pages/structure/order.js';
import { looksOf } from '../../web/pages/reading/looks.js';
import { GOLDEN, isError, load } from './helpers.js';
import { toyTranslation } from './toy-translation.js';

/** @param {AsyncIterable<any>} run */
async function all(run) {
  const steps = [];
  for await (const step of run) steps.push(step);
  return steps;
}
/** @param {ArrayLike<number>} row */
const sum = (row) => Array.from(row).reduce((total, one) => total + one, 0);

const SCORES = [
  'none',
  'additive',
  'concat',
  'dot',
  'scaled-dot',
  'general',
  'cosine',
  'location',
  'location-long',
  'local-m',
  'local-p',
  'local-p-before',
  'sigmoid',
  'segments',
  'segments-before',
];
/** Types of attention in which a weight is the expected value of a bit, so the weights need not add up to 1. */
const BITS = /^(sigmoid|segments)/;

test('models with every type of attention translate, greedily and with beams, and return their maps', async () => {
  for (const score of SCORES) {
    const model = await load(`${GOLDEN}seq2seq-${score}.gguf`);
    assert.deepEqual(model.info.verbs, ['translate', 'attention', 'score'], score);
    assert.equal(model.info.positions, 14);
    const run = model.translate('Ein Hund', { maps: true });
    const steps = await all(run);
    assert.equal(run.source.length, 9);
    for (const { maps, alignment } of steps) {
      const names = maps.map((/** @type {any} */ { name }) => name);
      const local = score.includes('local') || score === 'location-long';
      assert.deepEqual(
        names,
        [...(score === 'none' ? [] : ['source']), ...(local ? ['centre'] : []), ...(score.startsWith('segments') ? ['alone'] : [])],
        score,
      );
      if (score === 'none') {
        assert.equal(alignment, undefined);
        continue;
      }
      assert.equal(alignment.length, 9);
      if (BITS.test(score)) assert.ok(alignment.every((/** @type {number} */ p) => p >= 0 && p <= 1));
      else if (score.startsWith('local-p')) assert.ok(sum(alignment) > 0 && sum(alignment) < 1 + 1e-5);
      else assert.ok(Math.abs(sum(alignment) - 1) < 1e-5, score);
    }
    const plain = await all(model.translate('Ein Hund'));
    assert.deepEqual(
      plain.map(({ token, nats }) => [token, nats]),
      steps.map(({ token, nats }) => [token, nats]),
      'looking changes nothing',
    );
    const found = model.translate('Ein Hund', { beams: 3 });
    await found.text();
    assert.ok(found.search.length > 0);
    const { nats } = await model.score('A dog', { source: 'Ein Hund' });
    assert.ok(nats > 0);
    model.close();
  }
});

test('an empty sentence, a long sentence and unknown characters are translated', async () => {
  const model = await load(`${GOLDEN}seq2seq-additive.gguf`);
  assert.equal(await model.translate('').text(), '');
  assert.equal((await all(model.translate('世界'))).length > 0, true);
  assert.throws(() => model.translate('a'.repeat(40)), isError('argument', /40 tokens, and this model sees 14/));
  assert.throws(() => model.generate('a'), /has no generate\(\): use translate\(\)/);
  model.close();
});

test('the errors for an unknown score function and for a window of zero name the metadata key', async () => {
  const file = await readFile(`${GOLDEN}seq2seq-local-m.gguf`);
  const at = (/** @type {string} */ key) => file.indexOf(key) + key.length;
  const score = Uint8Array.from(file);
  score.set(new TextEncoder().encode('dut'), at('seq2seq.attention.score') + 12);
  await assert.rejects(load(score), isError('unsupported', /seq2seq\.attention\.score/));
  const window = Uint8Array.from(file);
  window.set([0, 0, 0, 0], at('seq2seq.attention.window') + 4);
  await assert.rejects(load(window), isError('format', /seq2seq\.attention\.window/));
});

test('segments: the page and the engine compute the same probability for each bit of the chain', async () => {
  const file = await readFile(`${GOLDEN}seq2seq-segments.gguf`);
  const model = await load(file);
  const { values } = readGguf(Uint8Array.from(file).buffer).tensor('attn_transition.weight');
  const A = [[...values.subarray(0, 2)], [...values.subarray(2)]];
  for (const { maps, alignment } of await all(model.translate('Ein Hund', { maps: true }))) {
    const theta = [...maps[1].weights].map(logit);
    marginals(theta, A).forEach((p, i) => assert.ok(Math.abs(p - alignment[i]) < 1e-4));
    const four = part(theta, A, 2, 4); // summing out the other words leaves the probabilities of these four words unchanged
    marginals(four.scores, [
      [four.stick, 0],
      [0, four.stick],
    ]).forEach((p, i) => assert.ok(Math.abs(p - alignment[2 + i]) < 1e-4));
    marginals(theta, times(A, 0)).forEach((p, i) => assert.ok(Math.abs(p - maps[1].weights[i]) < 1e-6));
  }
  model.close();
  assert.deepEqual(segmentsOf([0.1, 0.6, 0.5, 0.2, 0.9]), [
    { from: 1, to: 3 },
    { from: 4, to: 5 },
  ]);
});

test('the errors for an unknown structure and for an unknown segmentation of the source name the metadata key', async () => {
  const file = Uint8Array.from(await readFile(`${GOLDEN}seq2seq-segments.gguf`));
  file.set(new TextEncoder().encode('x'), Buffer.from(file).indexOf('segmentation'));
  await assert.rejects(load(file), isError('unsupported', /seq2seq\.attention\.structure/));
  await assert.rejects(
    load(toyTranslation({ metadata: { 'tokenizer.source': ['string', 'syllables'] } })),
    isError('unsupported', /tokenizer\.source: "syllables" is neither "tokens" nor "characters"/),
  );
});

test('in a model that reads characters, each character is one token, and the output consists of words as usual', async () => {
  const model = await load(toyTranslation({ metadata: { 'tokenizer.source': ['string', 'characters'] } }));
  const whole = await load(toyTranslation());
  const run = model.translate('ab bé');
  assert.equal(await run.text(), 'ab bé');
  assert.deepEqual(run.sourceTexts.slice(0, 4), ['a', 'b', ' ', 'b']);
  assert.ok(whole.translate('ab bé').source.length < run.source.length);
  assert.equal((await model.score('ab', { source: 'ab' })).tokens.length, (await whole.score('ab', { source: 'ab' })).tokens.length);
  assert.throws(() => model.translate('ab '.repeat(30)), isError('argument', /89 tokens, and this model sees 48/));
  assert.equal(await model.translate('').text(), '');
  for (const one of [model, whole]) one.close();
});

test('the batting order: with a stronger chain, left- and right-handed players alternate more often', () => {
  const [alone, pulled] = [chainOf(0), chainOf(3)];
  for (const { p } of [alone, pulled]) p.forEach((row) => assert.ok(Math.abs(sum(row) - 1) < 1e-9));
  assert.ok(alike(order(pulled.p)) < alike(order(alone.p)));
  assert.equal(alike(pulled.best), 0);
  assert.ok(pulled.best.every((player, place) => place === 0 || player !== pulled.best[place - 1]));
});

test('the memory network generates text, and each word attends to the words before it', async () => {
  const model = await load(`${GOLDEN}lstmn-tiny.gguf`);
  assert.deepEqual(model.info.verbs, ['generate', 'attention', 'score']);
  const steps = await all(model.generate('abc', { maxTokens: 5, maps: true, seed: 1 }));
  assert.equal(steps.length, 5);
  for (const { maps } of steps) {
    assert.equal(maps.length, 1);
    assert.ok(Math.abs(sum(maps[0].weights) - 1) < 1e-5);
  }
  const ids = [97, 98, 99, 100];
  const looks = await all(looksOf(model, ids, new AbortController().signal));
  assert.deepEqual(
    looks.map(([{ keys }]) => [...keys]),
    [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]],
  );
  assert.deepEqual(
    looks.map(([{ weights }]) => Math.round(sum(weights))),
    [0, 1, 1, 1],
    'the first word has no earlier word to attend to',
  );
  looks.forEach(([{ weights }], t) => assert.equal(weights[t], 0, 'no word attends to itself'));
  model.close();
});

test('the printed formulas show the softmax and the Gaussian factor of an attention weight, and the weighted sum of the states', () => {
  const row = [0.1, 0.75, 0.15];
  assert.equal(rowSum(row, ['ein', 'Hund', 'läuft'], 3), 'c₃ = 0.10 h₁ + 0.75 h₂ + 0.15 h₃   (h₁ ein, h₂ Hund, h₃ läuft)');
  assert.equal(cellTerms(row, 1), 'e^0.00 / (e^0.00 + e^−1.61 + e^−2.01) = 0.75');
  assert.equal(cellTerms([0, 1], 0), 'outside the window: 0');
  assert.ok(Math.abs(bell(4, 4.5, 2) - Math.exp(-0.125)) < 1e-12);
  assert.match(cellTerms([0.2 * bell(0, 1.5, 3), 0.8 * bell(1, 1.5, 3)], 1, { centre: 1.5, D: 3 }), /= 0\.80 · 0\.95 = 0\.76, σ = 1\.5$/);
  assert.equal(centreOf([0, 0.25, 0.75]), 1.75);
  assert.deepEqual(windowOf(1.75, 1, 9), { from: 0, to: 3, centre: 1.75 });
  assert.deepEqual(windowOf(8, 3, 9), { from: 5, to: 9, centre: 8 });
});

test('the batting order: the weights follow from cosines and add up to 1, and every player bats once', () => {
  const at = PLAYERS.map((player) => player.at);
  assert.equal(cosine([2, 0], [5, 0]), 1);
  assert.equal(cosine([0, 0], [1, 0]), 0);
  for (const fit of /** @type {const} */ (['cosine', 'dot'])) {
    const rows = weights(at, 14, fit);
    for (const row of rows) assert.ok(Math.abs(sum(row) - 1) < 1e-12);
    assert.deepEqual(
      [...order(rows)].sort((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
  }
  const scaled = weights(
    at.map(([x, y]) => [x / 2, y / 2]),
    14,
    'cosine',
  );
  weights(at, 14, 'cosine').forEach((row, p) =>
    row.forEach((w, i) => assert.ok(Math.abs(w - scaled[p][i]) < 1e-9, 'a cosine does not depend on the length of a vector')),
  );
  assert.deepEqual(
    mixture(
      [1, 0],
      [
        [0.2, 0.4],
        [1, 1],
      ],
    ),
    [0.2, 0.4],
  );
  assert.deepEqual(softmax([0, 0]), [0.5, 0.5]);
});
