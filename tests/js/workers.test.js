// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests runs with several workers, which share the samples of a run. The values and the guarantees must be the same as with one worker.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { busyDuring, busyIn, collect, isError, load, sleep, wasmBytes } from './helpers.js';
import { UNREACHABLE, patch, wasmUrl } from './patch.js';
import { noise, toyModel } from './toy.js';

const toy = toyModel({ classes: ['cat', 'dog'] });
const slow = toyModel({ width: 256, height: 256, embedding: 64, feedForward: 256, queryBlock: 256, memoryBlock: 256, blocks: 8 });
const small = { data: noise(64), width: 8, height: 8 };
const reason = new Error('enough');

test('the values are the same for any number of workers', async () => {
  /** @type {any} */
  let expected;
  for (const workers of [1, 2, 3, 8]) {
    const model = await load(toy, { workers });
    for (const chunkSize of [undefined, 5]) {
      const { values, nats, steps } = await collect(model.generate({ samples: 5, seed: 7, label: 'dog', chunkSize }));
      const completed = await collect(model.complete(small, { rows: 3, samples: 4, seed: 8, chunkSize }));
      const one = await collect(model.generate({ seed: 7, label: 'dog', chunkSize }));
      const all = { values, nats, completed: completed.values, one: one.values[0], score: (await model.score(small)).nats };
      expected ??= all;
      assert.deepEqual(all, expected, `${workers} workers`);
      if (chunkSize)
        assert.deepEqual(
          steps.slice(0, 6).map(({ sample, from }) => [sample, from]),
          [
            [0, 0],
            [1, 0],
            [2, 0],
            [3, 0],
            [4, 0],
            [0, 5],
          ],
        );
    }
    model.close();
  }
  assert.deepEqual(expected.one, expected.values[0]);
  assert.notDeepEqual(expected.values[3], expected.values[4], 'each sample has its own noise');
});

test('an invalid number of workers is refused', async () => {
  for (const workers of [0, -1, 1.5, 17, NaN, '2', 'Auto', null]) {
    await assert.rejects(load(toy, { workers: /** @type {any} */ (workers) }), isError('argument', /workers must be/));
  }
});

/** Checks that nothing is being computed. */
async function assertIdle() {
  let busy = 0;
  for (let attempt = 0; attempt < 5; attempt++) {
    await sleep(30);
    busy = await busyDuring(200);
    if (busy < 200 * 0.12) return; // the bound is the same as in stop.test.js
  }
  assert.fail(`${busy.toFixed(0)} ms of work in 200 ms`);
}

test('break, abort and close stop every worker', async () => {
  const model = await load(slow, { workers: 2 });
  for await (const step of model.generate({ samples: 2 })) {
    assert.ok(step.values.length > 0);
    break;
  }
  await assertIdle();

  const end = new AbortController();
  const run = assert.rejects(collect(model.generate({ samples: 2, chunkSize: 65536, signal: end.signal })), reason);
  await sleep(50);
  const busy = await busyIn(() => {
    end.abort(reason);
    return run;
  });
  assert.ok(busy < 250, `${busy} ms`);
  await assertIdle();

  const open = assert.rejects(collect(model.generate({ samples: 2 })), isError('closed'));
  await sleep(50);
  model.close();
  await open;
  await assertIdle();
  assert.throws(() => model.generate(), isError('closed'));
});

test('after loading has failed or was aborted, no worker remains', async () => {
  await assert.rejects(load(toy.subarray(0, 500), { workers: 3 }), isError('format'));
  const end = new AbortController();
  const loading = load(slow, { workers: 3, signal: end.signal });
  end.abort(reason);
  await assert.rejects(loading, reason);
  await assertIdle();
});

test('a trap in any worker rejects the run, and the next call starts new engines', async () => {
  const trapping = patch(wasmBytes, { functions: { nx_session_draw: UNREACHABLE } });
  const model = await load(toy, { workers: 2, wasmUrl: wasmUrl(trapping) });
  const reference = await load(toy);
  for (let i = 0; i < 2; i++) {
    await assert.rejects(collect(model.generate({ samples: 3 })), isError('trap'));
    assert.equal((await model.score(small)).nats, (await reference.score(small)).nats);
  }
  model.close();
  reference.close();
});

test('too little memory in one worker gives an error, and every worker stays usable', async () => {
  const model = await load(toyModel({ width: 16, height: 16 }), { workers: 2, wasmUrl: wasmUrl(patch(wasmBytes, { maxPages: 20 })) });
  await assert.rejects(collect(model.generate({ samples: 64 })), isError('memory'));
  assert.equal((await collect(model.generate({ samples: 2 }))).values[1].length, 256);
  model.close();
});
