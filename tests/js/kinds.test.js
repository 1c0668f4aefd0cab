// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests every kind of picture model through the worker: the values of a position, the order of positions, and the start of a run. Every
 * model must return 8-bit channels, and costs that add up correctly.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nearestColours } from '../../web/lib/media/codec.js';
import { reduce } from '../../web/lib/media/image.js';
import { checkRows } from '../../web/lib/kinds/picture/rows.js';
import { assertMaps, collect, isError, load } from './helpers.js';
import { noise, toyModel, toyNetwork } from './toy.js';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */
/** @import { ToyOptions } from './toy.js' */

const WIDTH = 8,
  HEIGHT = 6;
const SIZE = { width: WIDTH, height: HEIGHT };

/** @type {ToyOptions} */
const COLOUR = { ...SIZE, channels: 3 };
const PALETTE = /** @type {const} */ ({ ...COLOUR, palette: true, levels: 20 });
const DMOL = /** @type {const} */ ({ ...COLOUR, output: 'dmol', levels: 256 });
const BLOCKS = { blockRows: 2, blockCols: 3, flangeRows: 2, flangeCols: 2 };
const INPUT = { inputWidth: 4, inputHeight: 3 };

/** Every combination of options that has its own code path. @type {Record<string, ToyOptions>} */
const KINDS = {
  grey: { ...SIZE },
  'grey blocks': { ...SIZE, ...BLOCKS, preNorm: true },
  'grey blocks that do not divide the picture': { ...SIZE, blockRows: 4, blockCols: 5 },
  bernoulli: { ...SIZE, output: 'bernoulli', levels: 2 },
  logistic: { ...SIZE, output: 'logistic', levels: 256, outputScale: 0.1 },
  gaussian: { ...SIZE, output: 'gaussian', levels: 256, outputScale: 0.1 },
  'grey mixture': { ...SIZE, output: 'dmol', levels: 256, queryBlock: 10, memoryBlock: 12 },
  'grey super-resolution': { ...SIZE, ...INPUT },
  'channels in blocks that cut pixels': { ...COLOUR, ...BLOCKS, blockCols: 5 },
  palette: PALETTE,
  'palette in blocks': { ...PALETTE, ...BLOCKS, preNorm: true },
  'palette super-resolution': { ...PALETTE, ...BLOCKS, ...INPUT },
  mixture: DMOL,
  'mixture in blocks': { ...DMOL, ...BLOCKS },
  'mixture super-resolution': { ...DMOL, ...BLOCKS, ...INPUT, preNorm: true, classes: ['a', 'b'] },
};

/** @param {Model} model */
const imageFor = ({ info }) => ({ data: noise(WIDTH * HEIGHT * info.channels, 3), ...SIZE });

/**
 * Returns the picture that has these elements, as raw data in raster order.
 *
 * @param {Model} model
 * @param {ArrayLike<number>} elements  in generation order
 */
function placed({ info, order }, elements) {
  const span = (info.width * info.height * info.channels) / info.positions;
  const data = new Uint8Array(elements.length);
  for (let i = 0; i < elements.length; i++) data[order[Math.floor(i / span)] * span + (i % span)] = elements[i];
  return { data, width: info.width, height: info.height };
}

/**
 * Starts a run of the model's first verb, and returns the run with the options for score().
 *
 * @param {Model} model
 * @param {import('../../web/lib/index.js').PictureOptions} options
 */
function begin(model, options) {
  const image = imageFor(model);
  const { inputWidth, inputHeight } = model.info;
  if (inputWidth === 0) return { run: model.complete(image, options), score: {} };
  const data = noise(inputWidth * inputHeight * model.info.channels, 7);
  const input = { data, width: inputWidth, height: inputHeight };
  return { run: model.superResolve(input, options), score: { input } };
}

for (const [kind, options] of Object.entries(KINDS)) {
  /**
   * @param {string} name
   * @param {(model: Model) => Promise<void>} body
   */
  const withKind = (name, body) =>
    test(`${kind}: ${name}`, async () => {
      const model = await load(toyModel(options));
      try {
        await body(model);
      } finally {
        model.close();
      }
    });

  withKind('the score of a run equals its streamed costs, bit for bit', async (model) => {
    const { channels, palette } = model.info;
    const { run, score } = begin(model, { samples: 3, seed: 9, temperature: 0.9, topP: 0.95 });
    const known = run.known.length;
    const { values, nats, steps } = await collect(run);
    for (const step of steps) {
      assert.ok(step.values instanceof Uint8Array && step.nats instanceof Float32Array);
      assert.ok(step.values.length === step.to - step.from && step.nats.length === step.values.length);
    }
    for (const sample of [0, 1, 2]) {
      assert.equal(known + values[sample].length, WIDTH * HEIGHT * channels);
      const image = placed(model, [...run.known, ...values[sample]]);
      const { nats: total, perElement, bitsPerDim } = await model.score(image, score);
      assert.deepEqual([...perElement.subarray(known)], nats[sample]);
      assert.equal(
        total,
        perElement.reduce((sum, cost) => sum + cost, 0),
      );
      assert.equal(bitsPerDim, total / (image.data.length * Math.LN2));
      if (palette) assert.ok(perElement.every((cost, i) => (i % 3 === 0 ? cost > 0 : cost === 0)));
    }
    assert.notDeepEqual(values[1], values[0]);
  });

  withKind('results depend on the seed, not on the division of the work', async (model) => {
    const begun = (/** @type {import('../../web/lib/index.js').PictureOptions} */ more) => collect(begin(model, { seed: 5, ...more }).run);
    const whole = await begun({ samples: 3 });
    const alone = await begun({});
    assert.deepEqual([alone.values[0], alone.nats[0]], [whole.values[0], whole.nats[0]]);
    const span = (WIDTH * HEIGHT * model.info.channels) / model.info.positions;
    for (const chunkSize of [1, 7]) {
      const { values, nats, steps } = await begun({ samples: 3, chunkSize });
      assert.deepEqual([values, nats], [whole.values, whole.nats]);
      const most = span * Math.ceil(chunkSize / span);
      assert.ok(steps.every(({ from, to }) => from % span === 0 && to - from <= most));
      assert.equal(steps[0].to - steps[0].from, most);
    }
    assert.notDeepEqual((await begun({ seed: 6 })).values[0], alone.values[0]);
  });

  withKind('drawTo paints each pixel where it belongs', async (model) => {
    const { channels } = model.info;
    const { run } = begin(model, { seed: 3, samples: 2 });
    const { values } = await collect(run);
    const again = begin(model, { seed: 3, samples: 2 }).run;
    const data = new Uint8ClampedArray(4 * WIDTH * HEIGHT);
    const canvas = { getContext: () => ({ createImageData: () => ({ data }), putImageData() {} }) };
    const pictures = await again.drawTo(/** @type {any} */ (canvas));
    for (const sample of [0, 1]) {
      const image = placed(model, [...run.known, ...values[sample]]);
      const rgba = Array.from(data, (_, i) =>
        i % 4 === 3 ? 255 : image.data[Math.floor(i / 4) * channels + (channels === 3 ? i % 4 : 0)],
      );
      assert.deepEqual([...pictures[sample].data], rgba);
    }
  });

  withKind('attention covers earlier elements, within the pattern', async (model) => {
    const image = imageFor(model);
    const { order, info } = model;
    const { channels, positions } = info;
    const columns = positions / HEIGHT;
    const span = (WIDTH * channels) / columns;
    const times = new Map([...order].map((place, time) => [place, time]));
    for (const [row, column, channel] of [
      [0, 0, 0],
      [1, 2, 0],
      [3, 5, channels - 1],
      [HEIGHT - 1, WIDTH - 1, channels - 1],
    ]) {
      const attention = await model.attention(image, { row, column, channel });
      assertMaps(attention, model.info);
      const place = Math.floor(((row * WIDTH + column) * channels + channel) / span);
      const now = Number(times.get(place));
      assert.deepEqual([...attention[0].queries], [place]);
      const held = [...attention[0].keys];
      assert.equal(held.at(-1), now > 0 ? order[now - 1] : -1, 'the last key holds the previous element');
      assert.ok(held.every((key) => key === -1 || Number(times.get(key)) < now));
      const moments = held.map((key) => (key === -1 ? -1 : Number(times.get(key))));
      assert.deepEqual(
        moments,
        [...moments].sort((a, b) => a - b),
        'in generation order, each key once',
      );
      assert.equal(new Set(held).size, held.length);
      if (!info.blockRows) continue;
      // Computes the positions that a query sees, by the rule of local 2D attention. The key at a position holds the element of the
      // previous position.
      const { blockRows, blockCols, flangeRows, flangeCols } = info;
      const [r, c] = [Math.floor(place / columns), place % columns];
      const [r0, c0] = [r - (r % blockRows), c - (c % blockCols)];
      const seen = [...order].filter((other, time) => {
        const [y, x] = [Math.floor(other / columns), other % columns];
        const right = Math.min(c0 + blockCols, columns) + flangeCols;
        const above = y < r0 && y >= r0 - flangeRows && x >= c0 - flangeCols && x < right;
        const beside = y >= r0 && y < r0 + blockRows && x < c0 && x >= c0 - flangeCols;
        const own = y >= r0 && y < r0 + blockRows && x >= c0 && x < c0 + blockCols && time <= now;
        return above || beside || own;
      });
      assert.deepEqual(
        moments.map((moment) => order[moment + 1]),
        seen,
      );
    }
  });
}

/**
 * @param {string} name
 * @param {ToyOptions} options
 * @param {(model: Model) => Promise<void>} body
 */
function withToy(name, options, body) {
  test(name, async () => {
    const model = await load(toyModel(options));
    try {
      await body(model);
    } finally {
      model.close();
    }
  });
}

test('a model without attention runs, and offers no attention()', async () => {
  const model = await load(toyNetwork({ ...SIZE, metadata: { 'fvsbn.classes': ['array', 'string', ['a', 'b']] } }));
  const { info } = model;
  assert.deepEqual([info.architecture, info.name, info.verbs], ['fvsbn', 'toy network', ['complete', 'generate', 'score']]);
  assert.deepEqual([info.width, info.height, info.channels, info.levels, info.positions], [WIDTH, HEIGHT, 1, 2, WIDTH * HEIGHT]);
  assert.deepEqual([info.blocks, info.heads, info.window, info.palette, info.inputWidth], [0, 0, WIDTH * HEIGHT, null, 0]);
  assert.deepEqual(info.classes, [], 'a model without classes has no names of classes');
  const image = imageFor(model);
  const run = model.complete(image, { rows: 2, samples: 3, seed: 4 });
  const { values, nats } = await collect(run);
  assert.deepEqual(
    [...run.known],
    [...image.data.subarray(0, 2 * WIDTH)].map((value) => (value < 128 ? 0 : 255)),
  );
  for (const sample of [0, 1, 2]) {
    assert.ok(values[sample].every((value) => value === 0 || value === 255));
    const { perElement } = await model.score(placed(model, [...run.known, ...values[sample]]));
    assert.deepEqual([...perElement.subarray(2 * WIDTH)], nats[sample]);
  }
  assert.notDeepEqual(values[1], values[0]);
  await assert.rejects(model.attention(image, { row: 0, column: 0 }), isError('argument', /no attention/));
  assert.throws(() => model.generate({ label: 'a' }), isError('argument', /no label/));
  assert.throws(() => model.superResolve(image), isError('argument'));
  model.close();
});

withToy('classes without names are numbered', { ...SIZE, classes: ['', 'b', ''] }, async (model) => {
  assert.deepEqual(model.info.classes, ['0', 'b', '2']);
  const { values } = await collect(model.generate({ label: '2', seed: 1 }));
  assert.deepEqual((await collect(model.generate({ label: 2, seed: 1 }))).values, values);
});

withToy('palette: a picture is shown in the nearest colours of the palette', PALETTE, async (model) => {
  const image = imageFor(model);
  const palette = /** @type {Uint8Array} */ (model.info.palette);
  const colours = nearestColours(image.data, palette);
  const seen = Uint8Array.from(image.data, (_, i) => palette[3 * colours[Math.floor(i / 3)] + (i % 3)]);
  assert.deepEqual(model.complete(image, { rows: HEIGHT }).known, seen);
  assert.deepEqual(await model.score({ ...image, data: seen }), await model.score(image));
  const { values } = await collect(model.generate({ seed: 1, samples: 2 }));
  const possible = new Set(Array.from({ length: 20 }, (_, i) => palette.slice(3 * i, 3 * i + 3).join()));
  for (const sample of values) for (let i = 0; i < sample.length; i += 3) assert.ok(possible.has(sample.slice(i, i + 3).join()));
});

withToy('blocks: the known part is a prefix of the generation order', { ...PALETTE, ...BLOCKS }, async (model) => {
  assert.deepEqual([...model.order.subarray(0, 16)], [0, 1, 2, 8, 9, 10, 3, 4, 5, 11, 12, 13, 6, 7, 14, 15]);
  const image = imageFor(model);
  const { data: seen } = placed(model, model.complete(image, { rows: HEIGHT }).known);
  for (const rows of [0, 2, 4, 6]) {
    const run = model.complete(image, { rows, seed: 2 });
    const elements = rows * WIDTH * 3;
    assert.equal(run.known.length, elements);
    const { values } = await collect(run);
    const { data } = placed(model, [...run.known, ...(values[0] ?? [])]);
    assert.deepEqual(data.subarray(0, elements), seen.subarray(0, elements), 'the first rows of the picture');
  }
  for (const rows of [1, 3, 5])
    assert.throws(() => model.complete(image, { rows }), isError('argument', /rows must be 0, 2, 4 or 6, not \d/));
  assert.throws(() => model.complete(image, { rows: 7 }), isError('argument', /from 0 to 6/));
  assert.equal(model.complete(image).known.length, 2 * WIDTH * 3, '3 rows are not possible, so the closest number below is used');
});

test('rows: the default is the possible value closest to half of the rows', () => {
  for (const [height, blockRows, expected] of [
    [28, 0, 14],
    [7, 0, 3],
    [1, 0, 0],
    [32, 8, 16],
    [32, 32, 0],
    [32, 12, 12],
    [28, 16, 16],
    [20, 16, 16],
  ])
    assert.equal(checkRows(undefined, { height, blockRows }), expected, `${height} rows in blocks of ${blockRows}`);
  const info = { height: 28, blockRows: 16 };
  assert.equal(checkRows(28, info), 28);
  assert.throws(() => checkRows(20, info), isError('argument', /0, 16 or 28, not 20.*16 rows/));
  assert.throws(() => checkRows(/** @type {any} */ ('16'), info), isError('argument', /from 0 to 28/));
});

withToy(
  'transparent pictures are composited on black in grey models, on white in colour models',
  { ...SIZE, levels: 256, outputScale: 0 },
  async (grey) => {
    const colour = await load(toyModel(DMOL));
    const clear = { data: new Uint8ClampedArray(4 * WIDTH * HEIGHT), ...SIZE };
    assert.ok(grey.complete(clear, { rows: 3 }).known.every((value) => value === 0));
    assert.ok(colour.complete(clear, { rows: 3 }).known.every((value) => value === 255));
    colour.close();
  },
);

withToy('superResolve: the result depends on the small picture, given in any form', { ...DMOL, ...INPUT }, async (model) => {
  const large = imageFor(model);
  const small = { data: reduce(large.data, { ...SIZE, channels: 3 }, 4, 3), width: 4, height: 3 };
  const run = model.superResolve(small, { seed: 1 });
  assert.deepEqual(await run.input, small.data);
  assert.equal(run.known.length, 0);
  assert.equal(run.seed, 1);
  const { values, nats } = await collect(run);
  assert.equal(values[0].length, WIDTH * HEIGHT * 3);
  const same = await collect(model.superResolve(large, { seed: 1 }));
  assert.deepEqual([same.values, same.nats], [values, nats], 'a picture whose size is a multiple is reduced');
  const rgba = Uint8Array.from({ length: 4 * 12 }, (_, i) => (i % 4 === 3 ? 255 : small.data[i - (i >> 2)]));
  assert.deepEqual((await collect(model.superResolve({ ...small, data: rgba }, { seed: 1 }))).values, values);
  const other = { ...small, data: small.data.map((value) => 255 - value) };
  assert.notDeepEqual((await collect(model.superResolve(other, { seed: 1 }))).values, values);

  assert.deepEqual(await model.score(large), await model.score(large, { input: small }));
  assert.deepEqual(await model.score(large), await model.score(large, { input: large }));
  assert.notEqual((await model.score(large, { input: other })).nats, (await model.score(large)).nats);
  const at = { row: 2, column: 3 };
  assert.deepEqual(await model.attention(large, at), await model.attention(large, { ...at, input: small }));
  assert.notDeepEqual(await model.attention(large, at), await model.attention(large, { ...at, input: other }));
});

withToy('superResolve() checks its arguments', { ...PALETTE, ...INPUT }, async (model) => {
  const image = imageFor(model);
  const small = { data: noise(36), width: 4, height: 3 };
  assert.throws(() => model.complete(image), isError('argument', /superResolve\(\)/));
  assert.throws(() => model.generate(), isError('argument', /superResolve\(\)/));
  for (const [width, height] of [
    [6, 6],
    [4, 4],
    [2, 3],
    [8, 7],
  ]) {
    const data = noise(3 * width * height);
    assert.throws(
      () => model.superResolve({ data, width, height }),
      isError('argument', new RegExp(`${width} x ${height}.*4 x 3 or a whole multiple`)),
    );
  }
  assert.throws(() => model.superResolve(/** @type {any} */ (null)), isError('argument', /image must be/));
  assert.throws(() => model.superResolve({ ...small, data: noise(35) }), isError('argument', /35 values/));
  for (const [name, value] of /** @type {[string, any][]} */ ([
    ['samples', 0],
    ['seed', -1],
    ['temperature', -1],
    ['topK', 0.5],
    ['topP', 0],
    ['chunkSize', 0],
    ['label', 'cat'],
  ]))
    assert.throws(() => model.superResolve(small, { [name]: value }), isError('argument', new RegExp(name)));
  await assert.rejects(model.score(image, { input: { ...small, width: 5 } }), isError('argument', /5 x 3/));
  await assert.rejects(model.score(small), isError('argument', /8 x 6/));
  await assert.rejects(collect(model.superResolve(small, { signal: AbortSignal.abort() })), { name: 'AbortError' });

  const plain = await load(toyModel(PALETTE));
  assert.throws(() => plain.superResolve(small), isError('argument', /complete\(\) or generate\(\)/));
  await assert.rejects(plain.score(image, { input: small }), isError('argument', /small picture/));
  await assert.rejects(plain.attention(image, { row: 0, column: 0, input: small }), isError('argument'));
  plain.close();
});

withToy('super-resolution by a fractional factor: score() needs an input', { ...DMOL, inputWidth: 3, inputHeight: 3 }, async (model) => {
  const image = imageFor(model);
  const input = { data: noise(27), width: 3, height: 3 };
  await assert.rejects(model.score(image), isError('argument', /3 x 3.*\{ input \}/));
  await assert.rejects(model.attention(image, { row: 0, column: 0 }), isError('argument', /\{ input \}/));
  assert.ok((await model.score(image, { input })).nats > 0);
  assert.ok((await model.attention(image, { row: 0, column: 0, input })).length > 0);
});

withToy('mixture: the channels of a pixel share one query', DMOL, async (model) => {
  const image = imageFor(model);
  const at = { row: 2, column: 1 };
  const red = await model.attention(image, { ...at, channel: 0 });
  const blue = await model.attention(image, { ...at, channel: 2 });
  assert.deepEqual(red, blue);
});

for (const [name, options] of /** @type {[string, ToyOptions][]} */ ([
  ['palette', { ...PALETTE, levels: 4, width: 2, height: 1, outputScale: 0.2 }],
  ['bernoulli', { output: 'bernoulli', levels: 2, width: 2, height: 2, outputScale: 0.3 }],
  ['logistic', { output: 'logistic', levels: 4, width: 2, height: 1, outputScale: 0.2 }],
  ['gaussian', { output: 'gaussian', levels: 4, width: 2, height: 1, outputScale: 0.2 }],
  ['channels', { channels: 3, levels: 2, width: 1, height: 2, blockRows: 2, blockCols: 2, outputScale: 0.3 }],
])) {
  withToy(`${name}: sample frequencies match the probabilities`, options, async (model) => {
    const { info } = model;
    const runs = 60,
      samples = 64;
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (let seed = 0; seed < runs; seed++) {
      const { values } = await collect(model.generate({ seed, samples }));
      for (const sample of values) counts.set(sample.join(), (counts.get(sample.join()) ?? 0) + 1);
    }
    // Lists every possible picture, with every level at each position.
    const { levels, palette } = info;
    const letters = Array.from({ length: levels }, (_, i) =>
      palette ? [...palette.subarray(3 * i, 3 * i + 3)] : [Math.round((255 * i) / (levels - 1))],
    );
    /** @type {number[][]} */
    let pictures = [[]];
    for (let i = 0; i < info.positions; i++) pictures = pictures.flatMap((picture) => letters.map((letter) => [...picture, ...letter]));
    let total = 0,
      chiSquared = 0,
      bins = 0,
      rare = 0;
    for (const elements of pictures) {
      const probability = Math.exp(-(await model.score(placed(model, elements))).nats);
      total += probability;
      const expected = probability * runs * samples;
      const count = counts.get(elements.join()) ?? 0;
      if (expected < 5) {
        rare += count - expected;
        continue;
      }
      chiSquared += (count - expected) ** 2 / expected;
      bins++;
    }
    assert.ok(Math.abs(total - 1) < 1e-5, `${total}`);
    assert.ok(bins >= 3 && Math.abs(rare) < 40, `${bins} bins, ${rare} rare`);
    // The limit is five standard deviations of a chi-squared variable. The seeds are fixed, so this either always passes or always fails.
    assert.ok(chiSquared < bins + 5 * Math.sqrt(2 * bins), `${chiSquared} with ${bins} bins`);
  });
}

withToy(
  'mixture: the probabilities of a pixel add up to 1, and the channels of a pixel depend on each other',
  { channels: 3, output: 'dmol', levels: 256, width: 1, height: 1, mixtures: 2 },
  async (model) => {
    const pixel = async (/** @type {number[]} */ ...data) => (await model.score({ data, width: 1, height: 1 })).perElement;
    const sum = async (/** @type {(value: number) => Promise<number>} */ cost) => {
      let total = 0;
      for (let value = 0; value < 256; value++) total += Math.exp(-(await cost(value)));
      return total;
    };
    for (const total of [
      await sum(async (red) => (await pixel(red, 9, 9))[0]),
      await sum(async (green) => (await pixel(40, green, 9))[1]),
      await sum(async (blue) => (await pixel(40, 200, blue))[2]),
    ])
      assert.ok(Math.abs(total - 1) < 1e-5, `${total}`);
    const base = await pixel(40, 100, 60);
    assert.notEqual((await pixel(90, 100, 60))[1], base[1], 'green given red');
    assert.notEqual((await pixel(40, 30, 60))[2], base[2], 'blue given green');
    assert.equal((await pixel(40, 30, 200))[0], base[0], 'red depends on neither');
    assert.equal((await pixel(40, 100, 200))[1], base[1]);
  },
);
