// SPDX-License-Identifier: MIT
// @ts-check

/** Tests pictures that are drawn in one pass from a latent vector: generate() and walk(), the attention of the pictures, and errors. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { GOLDEN, isError, load } from './helpers.js';

const model = await load(`${GOLDEN}sagan-tiny.gguf`);
const plain = await load(`${GOLDEN}sagan-plain-tiny.gguf`);
after(() => {
  model.close();
  plain.close();
});

/** @import { LatentOptions, LatentRun } from '../../web/lib/index.js' */

/** Starts a run that draws pictures from latents. (The option types of AnyModel do not include latents.) @param {LatentOptions} options */
const make = (options, of = model) => of.generate(options);

/** @param {LatentRun} run */
async function collect(run) {
  const steps = [];
  for await (const step of run) steps.push(step);
  return steps;
}

/** Draws one picture, in a single step. @param {LatentOptions} options */
const one = async (options) => (await collect(make(options)))[0];

test('info describes a model with latents', () => {
  const { verbs, kind, width, height, channels, levels, classes, positions, latent, palette } = model.info;
  assert.deepEqual(
    { verbs, kind, width, height, channels, levels, classes, positions, latent, palette },
    {
      verbs: ['generate', 'walk'],
      kind: 'latent',
      width: 16,
      height: 16,
      channels: 3,
      levels: 256,
      classes: ['0', '1', '2'],
      positions: 0,
      latent: 20,
      palette: null,
    },
  );
  assert.throws(() => model.complete(new Uint8Array(0)), /This model has no complete\(\): use generate\(\) or walk\(\)/);
  assert.throws(() => model.resume(/** @type {any} */ ({})), { code: 'argument' });
});

test('the seed and the index of the sample determine a picture; the latent of a picture reproduces the picture', async () => {
  const steps = await collect(make({ seed: 5, samples: 4 }));
  assert.deepEqual(
    steps.map(({ sample, label, from, to }) => [sample, label, from, to]),
    [
      [0, 0, 0, 768],
      [1, 1, 0, 768],
      [2, 2, 0, 768],
      [3, 0, 0, 768],
    ],
    'classes take turns',
  );
  assert.equal(new Set(steps.map(({ values }) => values.join())).size, 4);
  const { latent, values } = steps[3];
  assert.equal(latent.length, 20);
  assert.deepEqual((await one({ latent, label: 0, seed: 9 })).values, values);
  assert.deepEqual((await one({ latent: Array.from(latent), label: '0' })).values, values);
  const each = await collect(make({ latent: steps.map((step) => step.latent), samples: 4 }));
  assert.deepEqual(
    each.map((step) => step.values),
    steps.map((step) => step.values),
  );
  assert.notDeepEqual((await one({ seed: 6, label: 0 })).values, (await one({ seed: 7, label: 0 })).values);
  assert.deepEqual((await one({ seed: 2n ** 64n - 1n, label: 2 })).values, (await one({ seed: 2n ** 64n - 1n, label: 2 })).values);
});

test('the option maps returns the attention of a picture', async () => {
  const { maps = [], values } = await one({ seed: 3, label: 1, maps: true });
  const [{ name, queries, keys, weights }] = maps;
  assert.deepEqual([name, weights.length], ['attention', 64 * 16]);
  assert.deepEqual([[...queries], [...keys]], [[...Array(64).keys()], [...Array(16).keys()]]);
  for (let i = 0; i < 64; i++) assert.ok(Math.abs(weights.subarray(16 * i, 16 * i + 16).reduce((sum, w) => sum + w, 0) - 1) < 1e-5);
  assert.deepEqual((await one({ seed: 3, label: 1 })).values, values);
  assert.deepEqual((await collect(make({ maps: true }, plain)))[0].maps, []);
});

test('a walk draws pictures on the way between two latents', async () => {
  const ends = await Promise.all([1, 2].map((seed) => one({ seed, label: 1 })));
  for (const shape of /** @type {const} */ (['line', 'sphere'])) {
    const walk = await collect(model.walk(1, 2, { steps: 5, shape, label: 1 }));
    assert.deepEqual(
      walk.map(({ at, sample }) => [at, sample]),
      [
        [0, 0],
        [0.25, 0],
        [0.5, 0],
        [0.75, 0],
        [1, 0],
      ],
    );
    assert.deepEqual(walk[0].values, ends[0].values);
    assert.deepEqual(walk[4].values, ends[1].values);
    const length = (/** @type {ArrayLike<number>} */ z) => Math.hypot(...Array.from(z));
    const [a, b, middle] = [ends[0], ends[1], walk[2]].map(({ latent }) => length(latent));
    assert.ok(shape === 'line' ? middle < 0.9 * Math.min(a, b) : middle > 0.9 * Math.min(a, b));
  }
  const round = await collect(model.walk(ends[0].latent, ends[1].latent, { steps: 4, shape: 'circle', label: 1 }));
  assert.deepEqual(
    round.map(({ at }) => at),
    [0, 0.25, 0.5, 0.75],
    'the last latent leads back to the first',
  );
  assert.deepEqual(round[1].values, ends[1].values);
  round[2].latent.forEach((z, i) => assert.ok(Math.abs(z + ends[0].latent[i]) < 1e-3));
  const same = await collect(model.walk(1, 1, { steps: 2, label: 1 }));
  assert.deepEqual(same[1].values, ends[0].values);
});

test('a run can be read again, drawn, and stopped', async () => {
  const run = make({ seed: 1, samples: 3 });
  const [first] = await run.pictures();
  assert.deepEqual([first.width, first.height, first.data.length], [16, 16, 1024]);
  assert.equal(run.finish, 'end');
  assert.equal((await collect(run)).length, 3);
  const stopped = model.walk(1, 2, { steps: 100 });
  let seen = 0;
  for await (const step of stopped) {
    assert.equal(step.sample, 0);
    if (++seen === 3) stopped.stop();
  }
  assert.deepEqual([seen, stopped.finish], [3, 'abort']);
  const controller = new AbortController();
  await assert.rejects(async () => {
    for await (const step of model.walk(1, 2, { steps: 100, signal: controller.signal }))
      controller.abort(new Error(`after ${step.sample}`));
  }, /after 0/);
});

test('invalid options are refused immediately', () => {
  const refused = (/** @type {() => unknown} */ work, /** @type {RegExp} */ says) => assert.throws(work, isError('argument', says));
  const right = new Float32Array(20);
  refused(() => model.generate({ latent: [1, 2, 3] }), /A latent of this model has 20 numbers, not 3/);
  refused(() => model.generate({ latent: /** @type {any} */ ('abc') }), /A latent of this model has 20 numbers/);
  refused(() => model.generate({ latent: /** @type {any} */ (null) }), /A latent of this model has 20 numbers/);
  const withOne = (/** @type {number} */ z) => Float32Array.from(right, (zero, i) => (i === 4 ? z : zero));
  refused(() => model.generate({ latent: withOne(NaN) }), /A latent must contain numbers from about -3 to 3, not NaN/);
  refused(() => model.generate({ latent: withOne(Infinity) }), /not Infinity/);
  refused(() => model.generate({ latent: new Array(20) }), /A latent must contain numbers/);
  refused(
    () => model.generate({ latent: [right, right], samples: 3 }),
    /latent must be one latent, or a list of 3 \(one per sample\), not 2/,
  );
  refused(() => model.generate({ label: 'cat' }), /label must be one of 0, 1, 2/);
  refused(() => model.generate({ label: 3 }), /label must be one of/);
  refused(() => model.generate({ samples: 65 }), /samples/);
  refused(() => model.walk(1, 2, { steps: 1 }), /steps must be a whole number from 2 to 4096/);
  refused(() => model.walk(1, 2, { shape: /** @type {any} */ ('spiral') }), /shape must be line, sphere, circle, not "spiral"/);
  refused(() => model.walk(-1, 2), /seed must be/);
  refused(() => model.walk(1, right.slice(1)), /A latent of this model has 20 numbers, not 19/);
});

test('pictures drawn before a stop can be read; a reader that leaves or aborts does not end the run for another reader', async () => {
  const stopped = model.generate({ samples: 5, seed: 1 });
  for await (const { sample } of stopped) if (sample === 1) stopped.stop();
  assert.deepEqual([(await stopped.pictures()).length, stopped.finish], [2, 'abort']);
  const left = model.generate({ samples: 3, seed: 1 });
  for await (const _ of left) break;
  assert.deepEqual([(await left.pictures()).length, left.finish], [3, 'end']);
  const shared = model.generate({ samples: 4, seed: 2 });
  const stopper = new AbortController();
  const gone = shared.pictures({ signal: stopper.signal });
  const all = shared.pictures();
  stopper.abort(new Error('enough'));
  await assert.rejects(gone, /enough/);
  assert.deepEqual([(await all).length, shared.finish], [4, 'end']);
  assert.deepEqual(await all, await model.generate({ samples: 4, seed: 2 }).pictures());
});
