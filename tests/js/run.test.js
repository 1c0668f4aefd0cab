// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the results of complete(), generate(), score() and attention() through the worker. Also tests that only the seed changes the drawn
 * values.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { quantise } from '../../web/lib/media/codec.js';
import { DIGITS, assertMaps, collect, isError, load } from './helpers.js';
import { noise, toyModel } from './toy.js';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

const grey = { data: noise(64), width: 8, height: 8 };
const colour = { data: noise(5 * 4 * 3), width: 4, height: 5 };

/**
 * @param {string} name
 * @param {import('./toy.js').ToyOptions} options
 * @param {(model: Model, context: import('node:test').TestContext) => Promise<void>} body
 */
function withToy(name, options, body) {
  test(name, async (context) => {
    const model = await load(toyModel(options));
    try {
      await body(model, context);
    } finally {
      model.close();
    }
  });
}

test('digits: a run draws 392 values, which are the same each time and different for another seed', async () => {
  const data = new Uint8Array(28 * 28 * 4).fill(255);
  for (let i = 0; i < 28 * 28; i++) data.fill(Math.floor(i / 28) > 4 && i % 28 > 12 && i % 28 < 16 ? 255 : 0, 4 * i, 4 * i + 3);
  /** @param {number} seed */
  const values = async (seed) => {
    const model = await load(DIGITS);
    const run = model.complete({ data, width: 28, height: 28 }, { rows: 14, samples: 1, seed });
    const result = await collect(run);
    model.close();
    return result.values[0];
  };
  const [first, again, other] = [await values(7), await values(7), await values(8)];
  assert.equal(first.length, 392);
  assert.deepEqual(again, first);
  assert.notDeepEqual(other, first);
});

withToy('steps cover exactly the drawn part, in order', {}, async (model) => {
  for (const rows of [0, 3, 4, 7, 8, undefined]) {
    const start = (rows ?? 4) * 8;
    const next = [start, start];
    for await (const { sample, from, to, values, nats } of model.complete(grey, { rows, samples: 2 })) {
      assert.equal(from, next[sample]);
      assert.ok(to > from && values.length === to - from && nats.length === to - from);
      assert.ok(values instanceof Uint8Array && nats instanceof Float32Array);
      assert.ok(
        values.every((value) => value % 17 === 0),
        'a value of one of 16 levels',
      );
      assert.ok(nats.every((cost) => cost >= 0 && Number.isFinite(cost)));
      next[sample] = to;
    }
    assert.deepEqual(next, start === 64 ? [64, 64] : [64, 64]);
  }
});

withToy('chunkSize limits the size of a step and does not change the values', {}, async (model) => {
  const options = { rows: 2, samples: 3, seed: 5 };
  const whole = await collect(model.complete(grey, options));
  for (const chunkSize of [1, 5, 48, 1000]) {
    const { values, nats, steps } = await collect(model.complete(grey, { ...options, chunkSize }));
    assert.deepEqual(values, whole.values);
    assert.deepEqual(nats, whole.nats);
    assert.equal(steps.length, 3 * Math.ceil(48 / chunkSize));
    assert.ok(steps.slice(0, -3).every(({ from, to }) => to - from === chunkSize));
  }
});

withToy('a sample does not depend on the number of samples', {}, async (model) => {
  const three = await collect(model.complete(grey, { samples: 3, seed: 11 }));
  const one = await collect(model.complete(grey, { samples: 1, seed: 11 }));
  const sixtyFour = await collect(model.complete(grey, { samples: 64, seed: 11 }));
  assert.deepEqual(three.values[0], one.values[0]);
  assert.deepEqual(three.nats[0], one.nats[0]);
  assert.deepEqual(sixtyFour.values.slice(0, 3), three.values);
  assert.notDeepEqual(three.values[1], three.values[0]);
  assert.notDeepEqual(three.values[2], three.values[1]);
});

withToy('seeds may be numbers and bigints; a random seed is reported', {}, async (model) => {
  const same = [await collect(model.generate({ seed: 2 ** 40 + 3 })), await collect(model.generate({ seed: 2n ** 40n + 3n }))];
  assert.deepEqual(same[0].values, same[1].values);
  const low = await collect(model.generate({ seed: 3 })); // the lower 32 bits of this seed equal those of the seeds above
  assert.notDeepEqual(low.values, same[0].values);
  assert.equal(model.generate({ seed: 2n ** 64n - 1n }).seed, 2n ** 64n - 1n);
  const run = model.generate();
  assert.ok(Number.isSafeInteger(run.seed) && run.seed >= 0);
  assert.notEqual(model.generate().seed, run.seed);
  const { values } = await collect(run);
  assert.deepEqual((await collect(model.generate({ seed: run.seed }))).values, values);
});

withToy('temperature 0 and topK 1 take the most probable value, for every seed', {}, async (model) => {
  const zero = await collect(model.generate({ temperature: 0, seed: 1 }));
  assert.deepEqual((await collect(model.generate({ temperature: 0, seed: 2 }))).values, zero.values);
  assert.deepEqual((await collect(model.generate({ topK: 1, seed: 3 }))).values, zero.values);
  assert.deepEqual((await collect(model.generate({ topP: 1e-6, seed: 4 }))).values, zero.values);
});

for (const options of [{}, { queryBlock: 10, memoryBlock: 12 }, { width: 4, height: 5, channels: 3, levels: 256 }]) {
  withToy(`the score of a run equals its streamed costs, bit for bit (${JSON.stringify(options)})`, options, async (model) => {
    const { width, height, channels, levels } = model.info;
    const image = channels === 3 ? colour : grey;
    const known = 2 * width * channels;
    const { values, nats } = await collect(model.complete(image, { rows: 2, samples: 2, seed: 9, temperature: 0.8, topP: 0.9 }));
    for (const sample of [0, 1]) {
      const data = Uint8Array.from([...quantise(image.data, levels).subarray(0, known), ...values[sample]]);
      const score = await model.score({ data, width, height });
      assert.deepEqual([...score.perElement.subarray(known)], nats[sample]);
      const sum = score.perElement.reduce((total, cost) => total + cost, 0);
      assert.equal(score.nats, sum);
      assert.ok(Math.abs(score.bitsPerDim - sum / data.length / Math.log(2)) < 1e-12);
    }
    // The engine rounds known values to levels, as quantise() does.
    assert.deepEqual(await model.score(image), await model.score({ ...image, data: quantise(image.data, levels) }));
  });
}

withToy('a label changes the distribution; name and index denote the same label', { classes: ['cat', 'dog', '7'] }, async (model) => {
  const [none, cat, dog, byIndex, nul] = await Promise.all([undefined, 'cat', 'dog', 1, null].map((label) => model.score(grey, { label })));
  assert.deepEqual(nul, none);
  assert.deepEqual(byIndex, dog);
  assert.notEqual(cat.nats, none.nats);
  assert.notEqual(cat.nats, dog.nats);
  assert.deepEqual(
    (await collect(model.generate({ label: '7', seed: 1 }))).values,
    (await collect(model.generate({ label: 2, seed: 1 }))).values,
  );
  for (const label of ['cow', 3, -1, 0.5, NaN, {}]) {
    assert.throws(() => model.generate({ label: /** @type {any} */ (label) }), isError('argument', /cat, dog, 7/));
  }
});

withToy('arguments out of range are refused', {}, async (model) => {
  const bad = /** @type {[string, any[]][]} */ ([
    ['rows', [-1, 9, 1.5, NaN, '4']],
    ['samples', [0, 65, 1.5, NaN]],
    ['seed', [-1, 1.5, NaN, 2 ** 53, -1n, 2n ** 64n, '7']],
    ['temperature', [-1, NaN, Infinity, 101, '1']],
    ['topK', [-1, 0.5]],
    ['topP', [0, -0.1, 1.1, NaN]],
    ['chunkSize', [0, -1, 0.5]],
    ['label', ['cat', 0]],
    ['lookAhead', [0, 1, null, 'yes']],
  ]);
  for (const [name, values] of bad) {
    for (const value of values) {
      assert.throws(() => model.complete(grey, { [name]: value }), isError('argument', new RegExp(name)), `${name} ${value}`);
    }
  }
  const wrong = { data: new Uint8Array(784), width: 28, height: 28 };
  assert.throws(() => model.complete(wrong), isError('argument', /28 x 28.*8 x 8/));
  await assert.rejects(model.score(wrong), isError('argument'));
  await assert.rejects(model.attention(grey, { row: 8, column: 0 }), isError('argument', /row/));
  await assert.rejects(model.attention(grey, { row: 0, column: -1 }), isError('argument', /column/));
  await assert.rejects(model.attention(grey, { row: 0, column: 0, channel: 1 }), isError('argument', /channel/));
});

for (const [options, image] of /** @type {[any, any][]} */ ([
  [{}, grey],
  [{ queryBlock: 10, memoryBlock: 12 }, grey],
  [{ width: 4, height: 5, channels: 3, blocks: 3, heads: 4 }, colour],
])) {
  withToy(`attention: rows sum to 1 over the visible elements (${JSON.stringify(options)})`, options, async (model) => {
    const { width, height, channels, queryBlock, memoryBlock } = model.info;
    for (const [row, column, channel] of [
      [0, 0, 0],
      [0, 1, 0],
      [2, 3, channels - 1],
      [height - 1, width - 1, channels - 1],
    ]) {
      const element = (row * width + column) * channels + channel;
      const attention = await model.attention(image, { row, column, channel });
      // At position p, the query and the key belong to input element p - 1.
      const first = queryBlock ? Math.max(0, queryBlock * Math.floor(element / queryBlock) - memoryBlock) : 0;
      assert.deepEqual([...attention[0].queries], [element]);
      assert.deepEqual(
        [...attention[0].keys],
        Array.from({ length: element - first + 1 }, (_, i) => first - 1 + i),
      );
      assertMaps(attention, model.info);
    }
  });
}

withToy('attention depends only on earlier elements', {}, async (model) => {
  const at = { row: 4, column: 3 };
  const maps = await model.attention(grey, at);
  const after = { ...grey, data: grey.data.slice().fill(0, 4 * 8 + 3) };
  assert.deepEqual(await model.attention(after, at), maps);
  const before = { ...grey, data: grey.data.slice().fill(0, 0, 4 * 8 + 3) };
  assert.notDeepEqual(await model.attention(before, at), maps);
});

withToy('concurrent runs, scores and attention calls do not affect each other', { width: 16, height: 16, embedding: 32 }, async (model) => {
  const image = { data: noise(256), width: 16, height: 16 };
  const at = { row: 9, column: 9 };
  const alone = [
    await collect(model.complete(image, { seed: 1, samples: 2 })),
    await collect(model.generate({ seed: 2 })),
    await model.score(image),
    await model.attention(image, at),
  ];
  const together = await Promise.all([
    collect(model.complete(image, { seed: 1, samples: 2, chunkSize: 3 })),
    collect(model.generate({ seed: 2, chunkSize: 1 })),
    model.score(image),
    model.attention(image, at),
    model.score(image),
    collect(model.generate({ seed: 3 })),
  ]);
  for (const i of [0, 1]) {
    assert.deepEqual(/** @type {any} */ (together[i]).values, /** @type {any} */ (alone[i]).values);
    assert.deepEqual(/** @type {any} */ (together[i]).nats, /** @type {any} */ (alone[i]).nats);
  }
  assert.deepEqual([together[2], together[3], together[4]], [alone[2], alone[3], alone[2]]);
});

withToy('a run can be read again: it returns the same steps without recomputation', {}, async (model) => {
  const run = model.generate();
  /** @param {AsyncIterable<object>} steps */
  const listOf = async (steps) => {
    const list = [];
    for await (const step of steps) list.push(step);
    return list;
  };
  const [first, again] = [await listOf(run), await listOf(run)];
  assert.ok(first.length > 0 && first.length === again.length && first.every((step, i) => step === again[i]));
  await assert.rejects(run.drawTo(/** @type {any} */ ({})), isError('argument', /canvas/));
});

withToy('next() may be called again before the previous step has arrived', {}, async (model) => {
  const { values } = await collect(model.generate({ seed: 1 }));
  const steps = model.generate({ seed: 1, chunkSize: 20 })[Symbol.asyncIterator]();
  const results = await Promise.all([steps.next(), steps.next(), steps.next(), steps.next(), steps.next()]);
  assert.deepEqual(
    results.map(({ done }) => done),
    [false, false, false, false, true],
  );
  assert.deepEqual(
    results.flatMap(({ value }) => (value ? [...value.values] : [])),
    values[0],
  );
});

withToy(
  'probabilities of all images sum to 1, and sample frequencies match them',
  {
    width: 2,
    height: 2,
    levels: 2,
    outputScale: 0.15,
  },
  async (model, context) => {
    const images = Array.from({ length: 16 }, (_, bits) => Uint8Array.from({ length: 4 }, (_, i) => 255 * ((bits >> i) & 1)));
    const probabilities = await Promise.all(images.map(async (data) => Math.exp(-(await model.score({ data, width: 2, height: 2 })).nats)));
    const total = probabilities.reduce((sum, p) => sum + p);
    assert.ok(Math.abs(total - 1) < 1e-5, `${total}`);

    const counts = Array(16).fill(0);
    const runs = 100,
      samples = 64;
    for (let seed = 0; seed < runs; seed++) {
      const { values } = await collect(model.generate({ seed, samples }));
      for (const sample of values) counts[sample.reduce((bits, value, i) => bits | ((value ? 1 : 0) << i), 0)]++;
    }
    const chiSquared = counts.reduce((sum, count, i) => {
      const expected = runs * samples * probabilities[i];
      return sum + (count - expected) ** 2 / expected;
    }, 0);
    context.diagnostic(`sum of probabilities ${total}; chi-squared ${chiSquared.toFixed(1)} with 15 degrees of freedom`);
    assert.ok(Math.min(...probabilities) * runs * samples > 5, 'enough samples for the test to mean something');
    // the seeds are fixed, so the result is always the same
    assert.ok(chiSquared < 37.7, 'by chance this happens for one seed in a thousand');
  },
);

/**
 * Computes competing samples with separate runs. Each run draws one row of one sample, and starts with the rows above it.
 *
 * @param {Model} model
 * @param {{ rows: number, samples: number, resample: number, resampleRows: number, seed: number, temperature: number }} options
 */
async function competed(model, { rows, samples, resample, resampleRows, ...options }) {
  const { width, height, channels } = model.info;
  const row = width * channels;
  const image = channels === 1 ? grey : colour;
  const [{ known }] = [model.complete(image, { rows })];
  let drawn = Array.from({ length: samples }, () => ({
    picture: Uint8Array.from({ length: row * height }, (_, i) => known[i] ?? 0),
    cost: 0,
  }));
  for (let r = rows; r < height; r++) {
    for (const [b, one] of drawn.entries()) {
      const { values, nats } = await collect(model.complete({ ...image, data: one.picture }, { ...options, rows: r, samples }));
      drawn[b] = { picture: one.picture.slice(), cost: nats[b].slice(0, row).reduce((sum, cost) => sum + cost, one.cost) };
      drawn[b].picture.set(values[b].slice(0, row), r * row);
    }
    if (r < height - 1 && (r - rows + 1) % resampleRows > 0) continue;
    const kept = r === height - 1 ? resample : Math.ceil(resample / 2);
    drawn = drawn.map((_, b) => {
      const first = b - (b % resample);
      return drawn.slice(first, first + resample).sort((one, other) => one.cost - other.cost)[(b - first) % kept];
    });
  }
  return drawn.map(({ picture, cost }) => ({ values: [...picture.subarray(rows * row)], cost }));
}

/**
 * Returns the final values of each sample of a run; competing rows are drawn several times.
 * @param {import('../../web/lib/index.js').PictureRun} run
 * @param {number} samples
 * @param {number} first the first drawn element
 */
async function settled(run, samples, first) {
  const drawn = Array.from({ length: samples }, () => ({ values: /** @type {number[]} */ ([]), cost: 0 }));
  let anew = 0;
  for await (const step of run) {
    if (step.anew) {
      assert.equal(step.from, first);
      assert.equal(step.to, first + drawn[step.sample].values.length, "the step continues where the sample's values end");
      assert.ok(
        step.values.length === step.to - step.from && step.nats.length === step.values.length && step.ahead.length === step.values.length,
      );
      drawn[step.sample] = { values: [], cost: 0 };
      anew++;
    }
    drawn[step.sample].values.push(...step.values);
    for (const cost of step.nats) drawn[step.sample].cost += cost;
  }
  return { drawn, anew };
}

for (const [name, toy, rows] of /** @type {[string, import('./toy.js').ToyOptions, number][]} */ ([
  ['channels', {}, 2],
  ['a palette', { channels: 3, levels: 5, palette: true, height: 5, width: 4 }, 1],
])) {
  test(`resample: ${name}: each sample in the more probable half of a group is continued twice`, async () => {
    const model = await load(toyModel(toy));
    const other = await load(toyModel(toy), { workers: 2 });
    const first = rows * model.info.width * model.info.channels;
    const image = model.info.channels === 1 ? grey : colour;
    for (const [samples, resample, resampleRows] of [
      [6, 3, 1],
      [4, 4, 2],
      [4, 2, 3],
    ]) {
      const options = { rows, samples, resample, resampleRows, seed: 3, temperature: 0.8 };
      const expected = await competed(model, options);
      for (const [artist, chunkSize] of /** @type {const} */ ([
        [model, undefined],
        [model, 1],
        [model, 29],
        [other, 1000],
      ])) {
        const { drawn, anew } = await settled(artist.complete(image, { ...options, chunkSize }), samples, first);
        assert.deepEqual(
          drawn.map(({ values }) => values),
          expected.map(({ values }) => values),
          `${samples} in groups of ${resample}, chunks of ${chunkSize}`,
        );
        drawn.forEach(({ cost }, i) => assert.ok(Math.abs(cost - expected[i].cost) < 1e-4));
        assert.ok(anew > 0);
      }
      for (let i = 1; i < samples; i++)
        assert.ok(i % resample === 0 || expected[i].cost >= expected[i - 1].cost, 'the most probable of a group comes first');
      const pictures = await model.complete(image, options).pictures();
      const plain = await model.complete(image, { ...options, resample: 1 }).pictures();
      assert.notDeepEqual(pictures, plain);
    }
    model.close();
    other.close();
  });
}

withToy('resample: one sample, or groups of one, give a plain run; impossible settings are refused', {}, async (model) => {
  const options = { samples: 4, seed: 2 };
  const plain = await collect(model.generate(options));
  for (const resample of [0, 1]) assert.deepEqual((await collect(model.generate({ ...options, resample }))).values, plain.values);
  for (const resample of [-1, 1.5, 5, NaN, '2'])
    assert.throws(
      () => model.generate({ ...options, resample: /** @type {any} */ (resample) }),
      isError('argument', /^resample must be a whole number from 0 to 4/),
    );
  for (const resampleRows of [0, 9, 2.5])
    assert.throws(
      () => model.generate({ ...options, resample: 2, resampleRows }),
      isError('argument', /^resampleRows must be a whole number from 1 to 8/),
    );
  assert.throws(() => model.generate({ ...options, resample: 3 }), isError('argument', /^samples \/ resample must be a whole number /));
});

test('maps: every step is one position with its attention, and the drawn values do not change', async () => {
  for (const options of [{}, { channels: 3, levels: 5, palette: true, inputWidth: 4 }]) {
    const model = await load(toyModel(options));
    const small = { data: new Uint8Array(48), width: 4, height: 4 };
    /** @param {boolean} maps */
    const run = async (maps) => {
      const asked = { seed: 5, samples: 2, chunkSize: 7, maps };
      const steps = [];
      for await (const step of options.inputWidth ? model.superResolve(small, asked) : model.generate(asked)) steps.push(step);
      return steps;
    };
    const [plain, mapped] = [await run(false), await run(true)];
    /** @param {Awaited<ReturnType<typeof run>>} steps */
    const values = (steps) => [0, 1].map((sample) => steps.filter((step) => step.sample === sample).flatMap((step) => [...step.values]));
    assert.deepEqual(values(mapped), values(plain));
    assert.ok(plain.every((step) => step.maps === undefined));
    assert.equal(mapped.length, 2 * model.info.positions);
    const { blocks, heads } = model.info;
    for (const [i, { sample, maps }] of mapped.entries()) {
      const position = Math.floor(i / 2);
      assert.equal(sample, i % 2);
      const names = options.inputWidth ? ['attention', 'source'] : ['attention'];
      assert.deepEqual(
        maps?.map(({ name, layer, head, queries }) => [name, layer, head, ...queries]),
        names.flatMap((name) =>
          Array.from({ length: blocks * heads }, (_, row) => [name, Math.floor(row / heads), row % heads, model.order[position]]),
        ),
      );
      for (const { name, keys, weights } of maps ?? []) {
        assert.equal(keys.length, weights.length);
        assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-4);
        if (name === 'source')
          assert.deepEqual(
            [...keys],
            Array.from({ length: 16 }, (_, j) => j),
          );
        else if (position > 0) assert.equal(keys.at(-1), model.order[position - 1]);
      }
    }
    // The maps of a run equal those of attention() for the same position.
    if (!options.inputWidth) {
      const image = { data: Uint8Array.from(values(plain)[0]), width: model.info.width, height: model.info.height };
      const asked = await model.attention(image, { row: 3, column: 2 });
      const step = mapped[2 * (3 * model.info.width + 2)];
      assert.deepEqual(asked, step.maps);
    }
    model.close();
  }
  const model = await load(toyModel());
  assert.throws(() => model.generate({ maps: /** @type {any} */ (1) }), isError('argument', /maps/));
  model.close();
});
