// SPDX-License-Identifier: MIT
// @ts-check

/** Tests learning on the FVSBN page. The gradient must be correct, the nats must decrease, and the engine must run the learned model. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { readGguf } from '../../web/shell/model/gguf.js';
import { learn, natsOf, nothingLearnt, sample } from '../../web/pages/fvsbn/learn.js';
import { Lesson } from '../../web/pages/fvsbn/lesson.js';
import { randomFrom } from '../../web/shell/run/random.js';
import { unpack } from '../../web/pages/fvsbn/training-digits.js';
import { ROOT, load } from './helpers.js';

const bits = new Uint8Array(readFileSync(`${ROOT}web/pictures/binarised-digits.bin`));
const digits = unpack(bits);

/** Returns arbitrary weights for n pixels, and an arbitrary picture of n pixels. @param {number} n @param {number} seed */
function anything(n, seed) {
  const random = randomFrom(seed);
  const weights = nothingLearnt(n);
  for (let j = 0; j < n; j++) {
    weights.bias[j] = random() - 0.5;
    for (let i = j + 1; i < n; i++) weights.weight[j * n + i] = 4 * random() - 2;
  }
  return { weights, picture: Uint8Array.from({ length: n }, () => (random() < 0.5 ? 1 : 0)) };
}
/** @param {import('../../web/pages/fvsbn/learn.js').Weights} weights */
const copy = ({ weight, bias }) => ({ weight: Float32Array.from(weight), bias: Float32Array.from(bias) });

test('a step equals the gradient of the log-likelihood that is computed by finite differences', () => {
  const n = 7;
  for (let seed = 1; seed <= 5; seed++) {
    const { weights, picture } = anything(n, seed);
    const moved = copy(weights);
    assert.equal(learn(moved, picture, 1), natsOf(weights, picture));
    // The single-precision gradient has an error of about 2^-22. The double-precision central difference has an error of about step ** 2,
    // or 2^-20.
    const step = 2 ** -10;
    for (const name of /** @type {const} */ (['weight', 'bias'])) {
      for (let k = 0; k < weights[name].length; k++) {
        const [more, less] = [copy(weights), copy(weights)];
        more[name][k] += step;
        less[name][k] -= step;
        const slope = (natsOf(less, picture) - natsOf(more, picture)) / (more[name][k] - less[name][k]);
        // A pixel depends neither on itself nor on later pixels.
        if (name === 'weight' && k % n <= Math.floor(k / n)) assert.equal(slope, 0);
        assert.ok(
          Math.abs(moved[name][k] - weights[name][k] - slope) < 2e-6,
          `${name} ${k}: ${moved[name][k] - weights[name][k]}, not ${slope}`,
        );
      }
    }
  }
});

test('the probabilities of all pictures add up to 1, and sample frequencies match them', () => {
  const n = 4;
  const { weights } = anything(n, 3);
  const odds = Array.from({ length: 2 ** n }, (_, k) =>
    Math.exp(
      -natsOf(
        weights,
        Uint8Array.from({ length: n }, (__, i) => (k >> i) & 1),
      ),
    ),
  );
  assert.ok(Math.abs(odds.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
  const counts = odds.map(() => 0);
  const random = randomFrom(1);
  const draws = 20000;
  for (let k = 0; k < draws; k++) counts[sample(weights, random).reduce((number, x, i) => number | (x << i), 0)]++;
  counts.forEach((count, k) => assert.ok(Math.abs(count - draws * odds[k]) < 5 * Math.sqrt(draws * odds[k]) + 1, `${k}: ${count}`)); // five standard deviations
});

test('the nats fall from those of 784 fair coins to below 110; the nats of digits outside the training set stay higher', () => {
  const lesson = new Lesson(digits);
  for (let k = 0; k < 160; k++) lesson.picked.add(k);
  for (let k = 0; k < 1600; k++) assert.ok(lesson.step() < 160);
  const { points } = lesson;
  assert.ok(Math.abs(points[0].learning - 784 * Math.LN2) < 1e-9);
  assert.equal(lesson.steps, 1600);
  const last = points[points.length - 1];
  assert.ok(last.learning < 110, `${last.learning}`);
  assert.ok(last.unseen < 190 && last.unseen > last.learning + 20, `${last.unseen}`);
  // The model has no weights from a pixel to itself or to an earlier pixel, so these elements of the matrix stay zero.
  lesson.weights.weight.forEach((w, at) => {
    if (at % 784 <= Math.floor(at / 784)) assert.equal(w, 0);
  });
});

test('a model that learns a single digit soon draws only this digit; without a digit there is nothing to learn', () => {
  const lesson = new Lesson(digits);
  assert.equal(lesson.step(), -1);
  lesson.picked.add(11);
  for (let k = 0; k < 400; k++) assert.equal(lesson.step(), 11);
  // The prediction of a pixel before the first ink depends only on the bias of that pixel. After t steps, the odds of such a pixel are
  // about rate * t = 8 to 1, so each of these pixels costs log(9/8) nats. The other pixels cost less.
  const before = digits[11].indexOf(1);
  const nats = natsOf(lesson.weights, digits[11]);
  assert.ok(nats < 1.5 * before * Math.log(9 / 8), `${nats} nats, ${before} pixels before the first ink`);
  const drawn = sample(lesson.weights, randomFrom(2));
  assert.ok(drawn.reduce((n, x, i) => n + (x === digits[11][i] ? 0 : 1), 0) < 40);
});

test("the file of training digits matches the page's description", () => {
  assert.equal(digits.length, 200);
  const { 1: sha } = /SHA-256 is `(\w+)`/.exec(readFileSync(`${ROOT}web/pictures/binarised-digits.md`, 'utf8')) ?? [];
  assert.equal(createHash('sha256').update(bits).digest('hex'), sha);
  assert.throws(() => unpack(bits.subarray(1)), /damaged/);
  assert.throws(() => unpack(new Uint8Array()), /damaged/);
});

test('with the weights in the file, the page and the engine compute the same nats for digits', {
  skip: !existsSync(`${ROOT}weights/fvsbn.gguf`) && 'weights/fvsbn.gguf is missing',
}, async () => {
  const file = readFileSync(`${ROOT}weights/fvsbn.gguf`);
  const buffer = /** @type {ArrayBuffer} */ (file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
  const { tensor } = readGguf(buffer);
  const weights = { weight: tensor('fvsbn.weight').values, bias: tensor('fvsbn.bias').values };
  const model = await load(`${ROOT}weights/fvsbn.gguf`);
  for (const picture of digits.slice(0, 5)) {
    const { nats } = await model.score({ data: picture.map((x) => 255 * x), width: 28, height: 28 });
    assert.ok(Math.abs(nats - natsOf(weights, picture)) < 1e-3, `${nats}`); // the engine adds in single precision
  }
  model.close();
});
