// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests exact speculative decoding through the library: when the library uses it, what the steps report about it, and that all pictures
 * stay the same.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Race } from '../../web/lib/engine/race.js';
import { Core } from './core.js';
import { DIGITS, collect, load, wasmModule } from './helpers.js';
import { noise, toyModel } from './toy.js';

/** @import { PictureRun } from '../../web/lib/kinds/picture/picture-run.js' */

const TOYS = {
  'full attention': { draft: true, width: 7, height: 9 },
  'local attention': { draft: true, width: 7, height: 9, queryBlock: 12, memoryBlock: 5, classes: ['cat', 'dog'] },
  'a palette': { draft: true, width: 7, height: 9, channels: 3, palette: true, levels: 20 },
};

/** Returns the values and the nats of all steps of a run. @param {PictureRun} run */
async function drawn(run) {
  const { values, nats } = await collect(run);
  return { values, nats };
}

/**
 * For each element of each sample, returns the number of columns by which the element was computed ahead of its turn.
 * @param {PictureRun} run
 * @param {number} samples
 */
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
  test(`the picture is the same with and without speculative decoding: ${name}`, async () => {
    const model = await load(toyModel(options));
    assert.equal(model.info.lookAhead, true);
    const image = { data: noise(7 * 9 * model.info.channels), width: 7, height: 9 };
    for (const settings of [{}, { temperature: 0 }, { temperature: 1.7, topK: 5 }, { topP: 0.9, chunkSize: 3 }]) {
      for (let seed = 1; seed <= 4; seed++) {
        const plain = await drawn(model.complete(image, { rows: 2, seed, ...settings, lookAhead: false }));
        assert.deepEqual(await drawn(model.complete(image, { rows: 2, seed, ...settings, lookAhead: true })), plain);
        assert.deepEqual(await drawn(model.complete(image, { rows: 2, seed, ...settings })), plain, 'without the option');
      }
    }
    model.close();
  });

  test(`steps report the positions computed ahead: ${name}`, async () => {
    const model = await load(toyModel(options));
    const span = (7 * 9 * model.info.channels) / model.info.positions;
    let passes = 0;
    let furthest = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const [ahead] = await aheadOf(model.generate({ seed, lookAhead: true }));
      assert.equal(ahead.length, 63 * span);
      const positions = ahead.filter((_, i) => i % span === 0);
      assert.deepEqual(
        ahead,
        positions.flatMap((k) => Array(span).fill(k)),
        'all elements of a pixel report the same number',
      );
      positions.forEach((k, i) => assert.ok(k === 0 || k === positions[i - 1] + 1));
      passes += positions.filter((k) => k === 0).length;
      furthest = Math.max(furthest, ...positions);
    }
    assert.equal(furthest, 7, 'passes of eight');
    assert.ok(passes < (8 * 63 * 2) / 3, `${passes} passes`);
    for (const all of [
      await aheadOf(model.generate({ seed: 1, lookAhead: false })),
      await aheadOf(model.generate({ seed: 1, samples: 2, lookAhead: true }), 2),
    ]) {
      assert.ok(all.flat().every((k) => k === 0));
    }
    model.close();
  });
}

test('samples that workers draw separately equal those drawn together', async () => {
  const file = toyModel(TOYS['local attention']);
  const [one, two] = [await load(file), await load(file, { workers: 2 })];
  assert.deepEqual(await drawn(two.generate({ samples: 2, seed: 5 })), await drawn(one.generate({ samples: 2, seed: 5 })));
  const alone = await aheadOf(two.generate({ samples: 2, seed: 5, lookAhead: true }), 2);
  assert.ok(
    alone.every((ahead) => ahead.some((k) => k > 0)),
    'each worker has one sample, and decodes speculatively',
  );
  one.close();
  two.close();
});

test('a file without a draft is drawn pixel by pixel', async () => {
  const model = await load(toyModel());
  assert.equal(model.info.lookAhead, false);
  assert.ok((await aheadOf(model.generate({ seed: 1, lookAhead: true }))).flat().every((k) => k === 0));
  model.close();
});

test('the digits take far fewer passes than they have pixels', async () => {
  const model = await load(DIGITS);
  assert.equal(model.info.lookAhead, true);
  const all = [];
  for (let seed = 1; seed <= 3; seed++) all.push(...(await aheadOf(model.generate({ seed, lookAhead: true }))).flat());
  const passes = all.filter((k) => k === 0).length;
  assert.ok(all.length / passes > 3, `${all.length} pixels in ${passes} passes`);
  model.close();
});

test('the faster of two modes is used, and the slower one is tried again occasionally', () => {
  let now = 0,
    turns = 0;
  const costs = [3, 5]; // milliseconds per unit of work, for each of the two modes
  const race = new Race(() => now);
  const ways = (/** @type {number} */ count) =>
    Array.from({ length: count }, () => {
      const second = race.next(),
        compiling = turns++ < 4 ? 500 : 0;
      assert.equal(
        race.time(
          second,
          () => {
            now += 10 * costs[Number(second)] + compiling;
            return 10;
          },
          (units) => units,
        ),
        10,
      );
      return Number(second);
    });
  assert.deepEqual(ways(12), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 'the modes alternate at first');
  assert.deepEqual(
    race.costs.map((ms) => Number(ms.toFixed(6))),
    [3, 5],
    'the first calls of each mode, which compile the code, do not count',
  );
  assert.equal(
    ways(52).reduce((sum, way) => sum + way),
    1,
    'one of 32',
  );
  [costs[0], costs[1]] = [4, 2];
  ways(256);
  assert.equal(
    ways(32).reduce((sum, way) => sum + way),
    31,
    'the other mode, because the machine has changed',
  );
});

test('speculative decoding can be started and stopped between two draws of a run', () => {
  const core = new Core(wasmModule, toyModel({ draft: true, width: 8, height: 8 }));
  const settings = { seed: 1n, samples: 1, temperature: 1, topK: 0, topP: 1 };
  const session = core.openSession(settings);
  for (const [lookAhead, most] of /** @type {const} */ ([
    [false, 0],
    [true, 7],
    [false, 0],
    [true, 7],
  ])) {
    assert.equal(core.lookAhead(session, settings, lookAhead), true);
    const { ahead } = core.draw(session, 16);
    assert.equal(
      ahead.some((k) => k > 0),
      most > 0,
    );
  }
  core.closeSession(session);
});
