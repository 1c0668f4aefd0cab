// SPDX-License-Identifier: MIT
// @ts-check

/** Tests numerical results: complete distributions, attention over a given text, and scores of many inputs. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { rowsOf, weightsOf } from '../kinds/js.js';
import { isError, load, ROOT } from './helpers.js';
import { toyText } from './toy-text.js';
import { toyModel, noise } from './toy.js';
import { ROWS } from '../../web/lib/settings.js';

/** @param {ArrayLike<number>} row */
const sum = (row) => Array.from(row).reduce((all, one) => all + one, 0);

test('texts: each step has the complete distribution of its token', async () => {
  const model = await load(toyText({ context: 64 }));
  const { vocabulary } = model.info;
  /** @param {any} options */
  const read = async (options) => {
    const steps = [];
    for await (const step of model.generate('ab abc', { seed: 4, maxTokens: 20, ...options })) steps.push(step);
    return steps;
  };
  const [plain, whole, both] = await Promise.all([
    read({}),
    read({ probabilities: true }),
    read({ probabilities: true, alternatives: 5, maps: true, temperature: 0.5 }),
  ]);
  assert.deepEqual(
    whole.map(({ token, nats }) => [token, nats]),
    plain.map(({ token, nats }) => [token, nats]),
    'the drawn tokens are the same',
  );
  for (const { token, nats, probabilities = [], alternatives = [] } of [...whole, ...both]) {
    assert.equal(probabilities.length, vocabulary);
    assert.ok(Math.abs(sum(probabilities) - 1) < 1e-5);
    assert.ok(Math.abs(-Math.log(probabilities[token]) - nats) < 1e-4, `${-Math.log(probabilities[token])} ${nats}`);
    for (const other of alternatives) assert.ok(Math.abs(probabilities[other.token] - Math.exp(-other.nats)) < 1e-5);
  }
  assert.ok(plain.every((step) => !('probabilities' in step)));
  model.close();
});

test('pictures: each step has the distribution over the levels, for every kind of output', async () => {
  for (const config of [{}, { classes: ['cat', 'dog'] }]) {
    const model = await load(toyModel(config), { workers: 2 });
    const { levels } = model.info;
    /** @param {any} options */
    const read = async (options) => {
      const steps = [];
      for await (const step of model.generate({ seed: 2, samples: 3, ...options })) steps.push(step);
      return steps;
    };
    const key = (/** @type {any} */ { sample, from, values, nats }) => [sample, from, [...values], [...nats]];
    const plain = (await read({ chunkSize: 1 })).map(key);
    const whole = await read({ chunkSize: 1, probabilities: true });
    assert.deepEqual(whole.map(key), plain, 'the drawn values are the same');
    for (const { nats, probabilities = new Float32Array(0) } of /** @type {any[]} */ (whole)) {
      const costs = nats.filter((/** @type {number} */ cost) => cost !== 0);
      assert.equal(probabilities.length % levels, 0);
      for (let at = 0; at < probabilities.length; at += levels) {
        const row = probabilities.subarray(at, at + levels);
        assert.ok(Math.abs(sum(row) - 1) < 1e-4, `${sum(row)}`);
        const cost = costs[at / levels];
        if (cost !== undefined)
          assert.ok(
            row.some((/** @type {number} */ p) => Math.abs(-Math.log(p) - cost) < 1e-3),
            'the cost of the drawn value is one of them',
          );
      }
    }
    model.close();
  }
});

test('a saved run continues with its distributions', async () => {
  const model = await load(toyModel());
  const run = model.generate({ seed: 2, samples: 2, probabilities: true, chunkSize: 8 });
  for await (const step of run) if (step.sample === 0) break;
  const saved = JSON.parse(JSON.stringify(run.save()));
  for await (const { probabilities, nats } of /** @type {any} */ (model.resume(saved)))
    assert.ok(probabilities instanceof Float32Array && probabilities.length >= nats.length / 3);
  model.close();
});

test('attention over a given text: for each head, the weights from each token to the previous tokens', async () => {
  const model = await load(toyText({ context: 64 }));
  const text = 'ab abc ab abc';
  const tokens = model.tokenizer.encode(text, { special: true });
  const maps = await model.attention(text);
  assert.deepEqual(await model.attention([...tokens]), maps);
  assert.ok(maps.length > 1);
  assert.deepEqual(
    maps.map(({ layer, head }) => [layer, head]),
    [...maps].sort((a, b) => a.layer - b.layer || a.head - b.head).map(({ layer, head }) => [layer, head]),
  );
  for (const { name, queries, keys, weights } of maps) {
    assert.equal(name, 'attention');
    assert.deepEqual([[...queries], keys[0], keys.length], [[...tokens.keys()], -1, tokens.length]);
    for (const query of queries) {
      const row = weights.subarray(query * keys.length, (query + 1) * keys.length);
      assert.ok(Math.abs(sum(row) - 1) < 1e-5);
      assert.ok(
        row.every((weight, i) => keys[i] < query || weight === 0),
        'nothing looks ahead',
      );
    }
  }
  // The weights in the map of a step equal the last row of attention() over the same tokens.
  const run = model.generate([...tokens].slice(0, -1), { oneOf: ['a', 'b', 'c', ' '], maps: true, maxTokens: 1 });
  for await (const step of run) {
    const last = step.maps?.[0].weights ?? [];
    // this model's sequences begin with the first token itself, not with a start token
    assert.deepEqual([...maps[0].weights.subarray((tokens.length - 1) * tokens.length + 1)], [...last]);
    break;
  }
  await assert.rejects(model.attention(new Array(65).fill(1)), isError('argument', /this model sees 64/));
  await assert.rejects(model.attention(text, { source: 'x' }), isError('argument', /does not translate/));
  await assert.rejects(model.attention(text, /** @type {any} */ ({ row: 1 })), isError('argument'));
  model.close();
});

test('a list of inputs is scored by all workers, and the results keep its order', async () => {
  const texts = ['ab', 'abc abc', 'a b c', 'cab', [1, 2, 3], 'ab abc ab'];
  for (const workers of [1, 3]) {
    const model = await load(toyText({ context: 64 }), { workers });
    const one = [];
    for (const text of texts) one.push(await model.score(text));
    assert.deepEqual(await model.score(texts), one);
    const end = new AbortController();
    const scores = model.score(
      Array.from({ length: 300 }, () => 'ab abc ab abc'),
      { signal: end.signal },
    );
    end.abort(new Error('enough'));
    await assert.rejects(scores, /enough/);
    await assert.rejects(model.score(['ab', /** @type {any} */ ({})]), isError('argument'));
    await assert.rejects(model.score(['ab', 'abc'], { source: ['x'] }), isError('argument', /2 inputs, and the list source has 1/));
    model.close();
  }
  const pictures = await load(toyModel({ classes: ['cat', 'dog'] }), { workers: 2 });
  const images = [1, 2, 3].map((seed) => ({ data: noise(64, seed), width: 8, height: 8 }));
  const each = [];
  for (const [i, image] of images.entries()) each.push(await pictures.score(image, { label: i % 2 }));
  assert.deepEqual(await pictures.score(images, { label: [0, 1, 0] }), each);
  pictures.close();
});

test('hidden states of texts and pictures equal those in PyTorch, and requesting them changes no other result', async () => {
  const recorded = JSON.parse(await readFile(`${ROOT}tests/golden/hidden.json`, 'utf8'));
  let compared = 0;
  for (const [name, { values, source, layers }] of Object.entries(recorded)) {
    const model = /** @type {any} */ (await load(await readFile(`${ROOT}tests/golden/${name}.gguf`)));
    const { kind } = model.info;
    if (kind !== 'text' && kind !== 'picture') continue; // the Python tests compare the other kinds
    const options = source ? { source } : {};
    const list = layers.map((/** @type {number[]} */ _, /** @type {number} */ i) => i);
    const input = kind === 'text' ? values : picture(model.info, values);
    const plain = await model.score(input, options);
    const { hiddenStates, ...score } = await model.score(input, { ...options, hiddenStates: list });
    assert.deepEqual(score, plain);
    const first = kind === 'text' && !source ? 1 : 0; // the first token is given and not predicted, so it has no state here
    assert.deepEqual(
      hiddenStates.map((/** @type {any} */ { layer }) => layer),
      list,
    );
    for (const { layer, width, values: states } of hiddenStates) {
      const wanted = layers[layer].slice(first * width);
      assert.equal(states.length, wanted.length, name);
      for (let i = 0; i < states.length; i++)
        assert.ok(Math.abs(states[i] - wanted[i]) < 1e-4, `${name}, layer ${layer}, value ${i}: ${states[i]} for ${wanted[i]}`);
    }
    const [one] = (await model.score(input, { ...options, hiddenStates: [list.length - 1] })).hiddenStates;
    assert.deepEqual(one, hiddenStates.at(-1));
    for (const wrong of [[], [list.length], [-1], [0.5], 1, 'all'])
      await assert.rejects(
        model.score(input, { ...options, hiddenStates: wrong }),
        isError('argument', /list of layers, 0 \(the embedding\) to/),
      );
    model.close();
    compared++;
  }
  assert.ok(compared > 8, `${compared}`);
});

test('hidden states are returned for a text longer than the context and for a list; a model without hidden states refuses the option', async () => {
  const text = await load(toyText({ context: 16 }));
  const long = 'ab abc ab abc abc ab ab abc ab ab ab '.repeat(4);
  const { tokens, perToken, hiddenStates = [] } = await text.score(long, { hiddenStates: [0, 1] });
  assert.ok(tokens.length > 20);
  assert.deepEqual([...perToken], [...(await text.score(long)).perToken]);
  for (const { width, values } of hiddenStates) assert.ok(values.length === tokens.length * width && values.every(Number.isFinite));
  const [a, b] = /** @type {any[]} */ (await text.score(['ab', long], { hiddenStates: [1] }));
  assert.deepEqual(b.hiddenStates, hiddenStates.slice(1));
  assert.ok(a.hiddenStates[0].values.length < b.hiddenStates[0].values.length);
  text.close();
  const fvsbn = await load(await readFile(`${ROOT}weights/fvsbn.gguf`));
  const blank = { data: new Uint8Array(784), width: 28, height: 28 };
  await assert.rejects(fvsbn.score(blank, { hiddenStates: [0] }), isError('argument', /has no hidden states/));
  fvsbn.close();
});

/** Returns a picture that has these ids in generation order. @param {any} info @param {number[]} ids */
function picture({ width, height, channels, levels }, ids) {
  assert.equal(channels, 1);
  return { data: Uint8Array.from(ids, (id) => Math.round((255 * id) / (levels - 1))), width, height };
}

test('for every kind that draws, the option probabilities adds the complete distribution of each id to its step', async () => {
  const seen = new Set();
  /** @param {import('../kinds/js.js').Spread} row */
  const compare = async ({ file, begin, ids: idsOf, options = {} }) => {
    const model = /** @type {any} */ (await load(weightsOf(file)));
    /** @param {any} more */
    const read = async (more) => {
      const steps = [];
      for await (const step of begin(model, { seed: 3, ...options, ...more })) steps.push(step);
      return steps;
    };
    const plain = (await read({})).flatMap(idsOf);
    const whole = await read({ probabilities: true });
    assert.deepEqual(whole.flatMap(idsOf), plain, `${model.info.kind}: the drawn ids are the same`);
    let rows = 0;
    for (const step of whole) {
      for (const [ids, nats] of idsOf(step)) {
        const values = step.probabilities.length / ids.length;
        assert.ok(Number.isInteger(values) && values > 1, `${model.info.kind}: ${step.probabilities.length} for ${ids.length}`);
        ids.forEach((id, i) => {
          const row = step.probabilities.subarray(i * values, (i + 1) * values);
          assert.ok(Math.abs(sum(row) - 1) < 1e-4, `${model.info.kind}: ${sum(row)}`);
          const p = id < 0 ? row.find((/** @type {number} */ one) => Math.abs(-Math.log(one) - nats[i]) < 1e-3) : row[id];
          assert.ok(Math.abs(-Math.log(p) - nats[i]) < 1e-3, `${model.info.kind}: ${p} for ${nats[i]} nats`);
          rows++;
        });
      }
    }
    assert.ok(rows > 0);
    seen.add(model.info.kind);
    model.close();
  };
  for (const rows of Object.values(rowsOf('probabilities'))) if (typeof rows !== 'string') for (const row of rows) await compare(row);
  assert.ok(seen.size >= 3);
  // Pictures, audio and notes have their own tests, above and in sound.test.js and notes.test.js. Together, the tests must cover every kind
  // with the option `seed`.
  const kinds = ROWS.find(([name]) => name === 'probabilities')?.[1].of.split(' ');
  const draws = ROWS.find(([name]) => name === 'seed')?.[1]
    .of.split(' ')
    .filter((kind) => kind !== 'latent'); // latents are drawn in one pass, not value by value from distributions
  assert.deepEqual(new Set(kinds), new Set(draws));
});
