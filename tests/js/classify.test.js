// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests model.classify(): the probability of each label of the examples, several queries in one call, the attention of a query, and errors.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { GOLDEN, load } from './helpers.js';

const model = await load(`${GOLDEN}snail-tiny.gguf`); // 3 attention layers, at most 5 labels, pictures with 9 rows of 8 pixels
after(() => model.close());

const [WIDTH, HEIGHT] = [8, 9];

/** Returns a picture of strokes. The seed determines the strokes. @param {number} seed */
function sign(seed) {
  const data = new Uint8Array(WIDTH * HEIGHT);
  for (let i = 0, at = seed * 7919; i < 14; i++, at = (at * 48271 + 11) % 2147483647) data[at % data.length] = 100 + (at % 156);
  return { data, width: WIDTH, height: HEIGHT };
}

const support = ['ka', 'ki', 'ku'].map((label, i) => ({ image: sign(i + 1), label }));

test('info describes a classification model', () => {
  const { info } = model;
  assert.deepEqual([info.kind, info.verbs, info.width, info.height], ['sign', ['classify'], WIDTH, HEIGHT]);
});

test('all labels have probabilities, the most probable first; a call with many queries gives the same results as one call per query', async () => {
  const queries = [sign(1), sign(9), sign(10)];
  const all = await model.classify(queries, { support, maps: true });
  assert.equal(all.length, 3);
  for (const [i, query] of queries.entries()) {
    const { probabilities, nats, label, maps } = await model.classify(query, { support, maps: true });
    assert.deepEqual(probabilities, all[i].probabilities);
    assert.deepEqual(maps, all[i].maps);
    assert.deepEqual(probabilities.map((one) => one.label).sort(), ['ka', 'ki', 'ku']);
    assert.ok(Math.abs(probabilities.reduce((sum, { p }) => sum + p, 0) - 1) < 1e-6);
    assert.ok(probabilities.every(({ p }, k) => k === 0 || p <= probabilities[k - 1].p));
    assert.deepEqual([label, nats], [probabilities[0].label, probabilities[0].nats]);
    assert.ok(Math.abs(nats + Math.log(probabilities[0].p)) < 1e-6);
    assert.equal(maps?.length, 3);
    for (const [layer, { weights, keys, ...map }] of (maps ?? []).entries()) {
      assert.deepEqual([map.layer, map.head, ...map.queries, ...keys], [layer, 0, 3, 0, 1, 2], 'the query comes after the examples');
      const sum = weights.reduce((total, weight) => total + weight, 0);
      assert.ok(weights.length === 3 && sum > 0 && sum < 1, 'the rest of the weight is on the query itself');
    }
  }
  assert.equal((await model.classify(sign(4), { support })).maps, undefined);
});

test('the order of the examples matters a little; the names of the labels do not matter', async () => {
  const [{ p }, { p: turned }, { p: renamed }] = (
    await Promise.all(
      [support, [support[1], support[0], support[2]], support.map(({ image }, i) => ({ image, label: i }))].map((examples) =>
        model.classify(sign(5), { support: examples }),
      ),
    )
  ).map(({ probabilities }) => probabilities[0]);
  assert.notEqual(p, turned);
  assert.equal(p, renamed);
});

test('classify() accepts more queries than fit in one run, several examples per label, and a single label', async () => {
  const many = await model.classify(
    Array.from({ length: 67 }, (_, i) => sign(i + 1)),
    { support },
  );
  assert.equal(many.length, 67);
  assert.deepEqual(many[66].probabilities, (await model.classify(sign(67), { support })).probabilities);
  const alone = await model.classify(sign(3), {
    support: [
      { image: sign(1), label: 'one' },
      { image: sign(2), label: 'one' },
    ],
  });
  assert.deepEqual(
    alone.probabilities.map(({ label, p }) => [label, p]),
    [['one', 1]],
  );
  const thousand = Array.from({ length: 1000 }, (_, i) => ({ image: sign(i + 1), label: i % 5 }));
  assert.equal((await model.classify(sign(1), { support: thousand })).probabilities.length, 5);
});

test('many pictures are read in chunks that yield to the event loop', async () => {
  let read = 0;
  const slow = (/** @type {number} */ seed) => {
    const { data, ...size } = sign(seed);
    return {
      ...size,
      get data() {
        for (const end = performance.now() + 2; performance.now() < end; );
        read++;
        return data;
      },
    };
  };
  const answers = model.classify(
    Array.from({ length: 30 }, (_, i) => slow(i + 1)),
    { support },
  );
  let before = Infinity;
  setTimeout(() => {
    before = read;
  });
  assert.equal((await answers).length, 30);
  assert.ok(before < read, `${before} of ${read} pictures were read before another task ran`);
});

test('dark strokes on a light ground give the same probabilities as light strokes on a dark ground', async () => {
  const dark = { ...sign(4), data: sign(4).data.map((byte) => 255 - byte) };
  assert.deepEqual((await model.classify(dark, { support })).probabilities, (await model.classify(sign(4), { support })).probabilities);
});

test('invalid input is refused with a message that names the problem, and the model stays usable', async () => {
  const empty = { data: new Uint8Array(72), width: WIDTH, height: HEIGHT };
  const query = sign(1);
  /** @type {[any, RegExp, string?][]} */
  const wrong = [
    [{ query }, /support must have at least one example/],
    [{ support: [], query }, /support must have at least one example/],
    [{ support }, /query must be a picture/],
    [{ support, query: [] }, /query must be a picture/],
    [{ support, query: empty }, /query is empty/],
    [{ support, query: [query, empty] }, /query\[1\] is empty/],
    [{ support: [{ image: empty, label: 'a' }], query }, /support\[0\]\.image is empty/],
    [{ support: [{ image: query }], query }, /support\[0\]\.label/],
    [{ support: [null], query }, /support\[0\] must be/],
    [{ support, query: { data: new Uint8Array(4), width: 2, height: 2 } }, /query: The image is 2 x 2/],
    [{ support: Array.from({ length: 6 }, (_, i) => ({ image: sign(i + 1), label: i })), query }, /6 different labels.*at most 5/, 'limit'],
    [{ support: Array.from({ length: 1025 }, () => support[0]), query }, /1025 examples.*at most 1024/, 'limit'],
    [{ support, query, maps: 1 }, /maps/],
  ];
  for (const [{ query: asked, ...options }, message, code = 'argument'] of wrong)
    await assert.rejects(model.classify(asked, options), { code, message });
  await assert.rejects(model.classify(query, { support, signal: AbortSignal.abort() }), { name: 'AbortError' });
  const leaving = new AbortController();
  const long = model.classify(query, { support: Array.from({ length: 1000 }, (_, i) => support[i % 3]), signal: leaving.signal });
  leaving.abort();
  await assert.rejects(long, { name: 'AbortError' });
  await assert.rejects(model.tag('a'), { message: /has no tag\(\): use classify\(\)/ });
  assert.equal((await model.classify(query, { support })).probabilities.length, 3);
});
