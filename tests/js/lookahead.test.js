// SPDX-License-Identifier: MIT
// @ts-check

/** Exact look-ahead through the library: where it happens, what steps say of it, and that it changes no picture. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DIGITS, collect, load } from './helpers.js';
import { noise, toyModel } from './toy.js';

/** @import { PictureRun } from '../../web/lib/kinds/picture/picture-run.js' */

const TOYS = {
  'full attention': { draft: true, width: 7, height: 9 },
  'local attention': { draft: true, width: 7, height: 9, queryBlock: 12, memoryBlock: 5, classes: ['cat', 'dog'] },
  'a palette': { draft: true, width: 7, height: 9, channels: 3, palette: true, levels: 20 },
};

/** All that was drawn. @param {PictureRun} run */
async function drawn(run) {
  const { values, nats } = await collect(run);
  return { values, nats };
}

/** How far ahead each element was computed, sample by sample. @param {PictureRun} run @param {number} samples */
async function aheadOf(run, samples = 1) {
  /** @type {number[][]} */
  const all = Array.from({ length: samples }, () => []);
  for await (const { sample, from, to, ahead } of run) {
    assert.equal(ahead.length, to - from);
    all[sample].push(...ahead);
  }
  return all;
}

for (const [name, options] of Object.entries(TOYS)) {
  test(`the same picture with look-ahead and without: ${name}`, async () => {
    const model = await load(toyModel(options));
    assert.equal(model.info.lookAhead, true);
    const image = { data: noise(7 * 9 * model.info.channels), width: 7, height: 9 };
    for (const settings of [{}, { temperature: 0 }, { temperature: 1.7, topK: 5 }, { topP: 0.9, chunkSize: 3 }]) {
      for (let seed = 1; seed <= 4; seed++) {
        const plain = await drawn(model.complete(image, { rows: 2, seed, ...settings, lookAhead: false }));
        assert.deepEqual(await drawn(model.complete(image, { rows: 2, seed, ...settings })), plain);
      }
    }
    model.close();
  });

  test(`steps say how far ahead was computed: ${name}`, async () => {
    const model = await load(toyModel(options));
    const span = (7 * 9 * model.info.channels) / model.info.positions;
    let passes = 0;
    let furthest = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const [ahead] = await aheadOf(model.generate({ seed }));
      assert.equal(ahead.length, 63 * span);
      const positions = ahead.filter((_, i) => i % span === 0);
      assert.deepEqual(ahead, positions.flatMap((k) => Array(span).fill(k)), 'all elements of a pixel say the same');
      positions.forEach((k, i) => assert.ok(k === 0 || k === positions[i - 1] + 1));
      passes += positions.filter((k) => k === 0).length;
      furthest = Math.max(furthest, ...positions);
    }
    assert.equal(furthest, 7, 'passes of eight');
    assert.ok(passes < (8 * 63 * 2) / 3, `${passes} passes`);
    for (const all of [
      await aheadOf(model.generate({ seed: 1, lookAhead: false })),
      await aheadOf(model.generate({ seed: 1, samples: 2 }), 2),
    ]) {
      assert.ok(all.flat().every((k) => k === 0));
    }
    model.close();
  });
}

test('samples that workers draw alone are those that are drawn together', async () => {
  const file = toyModel(TOYS['local attention']);
  const [one, two] = [await load(file), await load(file, { workers: 2 })];
  assert.deepEqual(await drawn(two.generate({ samples: 2, seed: 5 })), await drawn(one.generate({ samples: 2, seed: 5 })));
  const alone = await aheadOf(two.generate({ samples: 2, seed: 5 }), 2);
  assert.ok(alone.every((ahead) => ahead.some((k) => k > 0)), 'each worker has one sample, and looks ahead');
  one.close();
  two.close();
});

test('a file without a draft goes pixel by pixel', async () => {
  const model = await load(toyModel());
  assert.equal(model.info.lookAhead, false);
  assert.ok((await aheadOf(model.generate({ seed: 1 }))).flat().every((k) => k === 0));
  model.close();
});

test('the digits take far fewer passes than pixels', async () => {
  const model = await load(DIGITS);
  assert.equal(model.info.lookAhead, true);
  const all = [];
  for (let seed = 1; seed <= 3; seed++) all.push(...(await aheadOf(model.generate({ seed }))).flat());
  const passes = all.filter((k) => k === 0).length;
  assert.ok(all.length / passes > 3, `${all.length} pixels in ${passes} passes`);
  model.close();
});
