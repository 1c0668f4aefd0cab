// SPDX-License-Identifier: MIT
// @ts-check

/** Tests captions: words and their attention, samples, beams, fixed attention, forced words, saved runs, and errors. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { brightness, litPixels } from '../../web/lib/kinds/caption/light.js';
import { LONGEST, PLACES, SIDE, WORDS, toyCaption } from './toy-caption.js';

/** @import { CaptionStep } from '../../web/lib/kinds/caption/caption-run.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const soft = /** @type {AnyModel} */ (await load(toyCaption()));
const hard = /** @type {AnyModel} */ (await load(toyCaption({ hard: true })));
const endless = /** @type {AnyModel} */ (await load(toyCaption({ end: -1000 })));
test.after(() => [soft, hard, endless].forEach((model) => model.close()));

const image = {
  data: Uint8Array.from({ length: 4 * SIDE * SIDE }, (_, i) => (i % 4 === 3 ? 255 : (i * 37) % 256)),
  width: SIDE,
  height: SIDE,
};

/** @param {AsyncIterable<CaptionStep>} run */
async function all(run) {
  /** @type {CaptionStep[]} */
  const steps = [];
  for await (const step of run) steps.push(step);
  return steps;
}

test('the words of a caption, joined, are its text, and each attention map adds up to 1', async () => {
  assert.deepEqual(soft.info.verbs, ['caption', 'score']);
  assert.equal(soft.info.vocabulary, WORDS.length);
  const run = endless.caption(image, { maps: true });
  const steps = await all(run);
  assert.equal(steps.length, LONGEST);
  assert.equal(steps.map(({ text }) => text).join(''), run.texts[0]);
  assert.equal(run.texts[0], steps.map(({ word }) => word).join(' '));
  for (const { maps: [map] = [], place, nats, word } of steps) {
    assert.ok(WORDS.includes(word) && nats > 0);
    assert.deepEqual([map.name, map.layer, map.head, map.keys.length, map.weights.length], ['image', 0, 0, PLACES, PLACES]);
    assert.ok(Math.abs(map.weights.reduce((a, b) => a + b, 0) - 1) < 1e-5);
    assert.equal(place, -1);
  }
  assert.deepEqual(run.grid, { rows: 4, columns: 4 });
  assert.equal(await endless.caption(image).text(), run.texts[0]); // maps do not change the caption
  const ended = /** @type {AnyModel} */ (await load(toyCaption({ end: 1000 })));
  assert.equal(await ended.caption(image).text(), '');
  ended.close();
});

test('once the first caption is complete, confidence is its probability, including the end', async () => {
  const run = endless.caption(image, { samples: 2, temperature: 1 });
  assert.equal(run.confidence, undefined);
  const cost = (await all(run)).reduce((sum, { sample, nats }) => sum + (sample === 0 ? nats : 0), 0);
  assert.ok(Math.abs(Math.log(run.confidence ?? 0) + cost) < 1e-5);
  assert.equal(endless.resume(run.save()).confidence, undefined);
  const ending = /** @type {AnyModel} */ (await load(toyCaption({ end: 3 })));
  for (const options of [{}, { beams: 3 }]) {
    const told = ending.caption(image, options);
    const { nats } = await ending.score(image, { text: await told.text() });
    assert.ok(Math.abs(Math.log(told.confidence ?? 0) + nats) < 1e-5);
  }
  ending.close();
});

test('hard attention attends to one location, which depends on seed and sample; at temperature 0, this is the most probable location', async () => {
  const cold = await all(hard.caption(image, { maps: true }));
  for (const { maps: [map] = [], place } of cold) assert.equal(map.weights.indexOf(Math.max(...map.weights)), place);
  const options = { maps: true, samples: 6, temperature: 1, forced: 'w1 w2 w3 w4' };
  const [one, same, other] = await Promise.all([3, 3, 4].map((seed) => all(hard.caption(image, { ...options, seed }))));
  const places = (/** @type {CaptionStep[]} */ steps) => steps.map(({ place }) => place);
  assert.equal(one.length, 24);
  assert.deepEqual(places(one), places(same));
  assert.notDeepEqual(places(one), places(other));
  assert.ok(new Set(one.filter(({ sample }) => sample < 6).map(({ place }) => place)).size > 2);
  const single = await all(hard.caption(image, { ...options, samples: 1, seed: 3 }));
  assert.deepEqual(places(single), places(one.filter(({ sample }) => sample === 0))); // the first sample is the same when it is drawn alone
});

test('the samples of a caption have different texts', async () => {
  const run = soft.caption(image, { samples: 4, temperature: 1, seed: 1 });
  const steps = await all(run);
  assert.equal(run.texts.length, 4);
  for (let sample = 0; sample < 4; sample++)
    assert.equal(
      steps
        .filter((step) => step.sample === sample)
        .map(({ text }) => text)
        .join(''),
      run.texts[sample],
    );
  assert.ok(new Set(run.texts).size > 1);
});

test('beam search finds captions that are at least as probable as the greedy caption', async () => {
  const brief = /** @type {AnyModel} */ (await load(toyCaption({ end: 2 })));
  const [greedy, best] = await Promise.all([brief.caption(image).text(), brief.caption(image, { beams: 6, lengthPenalty: 0 }).text()]);
  const cost = async (/** @type {string} */ text) => (await brief.score(image, { text })).nats;
  assert.ok(greedy.split(' ').length < LONGEST && (await cost(best)) <= (await cost(greedy)) + 1e-5);
  brief.close();
  assert.equal(await hard.caption(image, { beams: 4 }).text(), await hard.caption(image, { beams: 4 }).text());
});

test('score() returns the sum of the costs of all words and of the end of the caption', async () => {
  const { nats, natsPerWord, perWord, words } = await soft.score(image, { text: ' w1  W5 w2' });
  assert.deepEqual(words, ['w1', 'w5', 'w2', '']);
  assert.ok(Math.abs(perWord.reduce((a, b) => a + b, 0) - nats) < 1e-4 && Math.abs(natsPerWord * 4 - nats) < 1e-4);
  const steps = await all(soft.caption(image, { forced: 'w1 w5 w2' }));
  assert.deepEqual(
    steps.map((step) => step.nats),
    [...perWord.slice(0, 3)],
  );
});

test('a caller can set the attention to one location, for all words or for some', async () => {
  const lit = await all(endless.caption(image, { lookAt: 5, maps: true }));
  assert.deepEqual(
    lit.map(({ place }) => place),
    Array(LONGEST).fill(5),
  );
  const some = await all(endless.caption(image, { lookAt: [null, 3], maps: true }));
  assert.deepEqual(
    some.slice(0, 3).map(({ place }) => place),
    [-1, 3, -1],
  );
  const [free] = await all(endless.caption(image, { maps: true }));
  assert.equal(some[0].nats, free.nats);
  const drawn = await all(hard.caption(image, { lookAt: 7, maps: true, temperature: 1, seed: 1 }));
  for (const { place } of drawn) assert.equal(place, 7);
});

for (const [name, options] of /** @type {[string, object][]} */ ([
  ['one caption', {}],
  ['samples', { samples: 3, temperature: 1, seed: 9 }],
  ['given words', { forced: 'w3 w1 w2 w4' }],
  ['a light', { lookAt: 2 }],
])) {
  test(`a saved run continues with the same words: ${name}`, async () => {
    const whole = endless.caption(image, { seed: 5, ...options });
    await all(whole);
    for (const most of [5, 6, 7]) {
      // a run can be saved after any word of any sample, even if the next word of some samples is forced
      const begun = endless.caption(image, { seed: 5, maps: true, ...options });
      let count = 0;
      for await (const _ of begun) if (++count >= most) begun.stop();
      /** @type {import('../../web/lib/index.js').SavedCaption} */
      const saved = JSON.parse(JSON.stringify(begun.save()));
      const rest = endless.resume(saved);
      const said = await all(rest);
      assert.deepEqual(rest.texts, whole.texts);
      assert.equal(said.length, whole.texts.join(' ').split(' ').length - count);
    }
  });
}

test('a saved run of hard attention draws the same locations', async () => {
  const options = { seed: 2, temperature: 1, maps: true, forced: 'w1 w2 w3 w4 w5' };
  const whole = await all(hard.caption(image, options));
  const begun = hard.caption(image, options);
  for await (const _ of begun) begun.stop();
  const rest = await all(hard.resume(begun.save()));
  assert.deepEqual(
    rest.map(({ place }) => place),
    whole.slice(1).map(({ place }) => place),
  );
});

test('invalid input is refused with a clear message', async () => {
  const wrong = (/** @type {object} */ options, /** @type {RegExp} */ message) =>
    assert.throws(() => soft.caption(image, options), { code: 'argument', message });
  wrong({ forced: 'w1 zebra' }, /"zebra" is not among the 11 words of this model/);
  wrong({ forced: Array(12).fill('w1').join(' ') }, /12 words, but captions have at most 8/);
  wrong({ lookAt: 16 }, /locations from 0 to 15/);
  wrong({ lookAt: Array(12).fill(0) }, /12 locations/);
  wrong({ beams: 3, temperature: 1 }, /beams finds the most probable caption/);
  wrong({ samples: 0 }, /samples must be/);
  assert.throws(() => soft.caption({ ...image, width: 4 }), { code: 'argument' });
  await assert.rejects(soft.score(image), { code: 'argument', message: /needs its words/ });
  assert.throws(() => hard.resume(soft.caption(image).save()), { code: 'state', message: /another model/ });
  await assert.rejects(load(toyCaption({ words: WORDS.slice(1) })), { code: 'format' });
});

test('a transparent picture is composited on white', async () => {
  const clear = { data: new Uint8Array(4 * SIDE * SIDE), width: SIDE, height: SIDE };
  const white = { data: new Uint8Array(4 * SIDE * SIDE).fill(255), width: SIDE, height: SIDE };
  assert.equal(await soft.caption(clear).text(), await soft.caption(white).text());
});

test('the attention overlay changes nothing without weights, and is brightest where the weight is largest', () => {
  const scene = { picture: Uint8Array.from({ length: 12 }, (_, i) => 20 * i), width: 2, height: 2, grid: { rows: 2, columns: 2 } };
  assert.deepEqual(
    [...litPixels(scene)].filter((_, i) => i % 4 < 3),
    [...scene.picture],
  );
  const light = brightness([0, 0.5, 1, 0]);
  assert.equal(light[2], 1);
  assert.ok(light[0] < light[1] && light[1] < 1);
  assert.deepEqual([...litPixels({ ...scene, weights: [0, 0, 1, 0] })].slice(8, 11), [...scene.picture.slice(6, 9)]);
});
