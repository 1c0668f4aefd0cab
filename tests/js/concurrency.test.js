// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests how many workers the library keeps with `workers: 'auto'`. Some tests define the speeds of the workers; others measure the speeds
 * on this machine.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { addWorthwhile, worthwhile } from '../../web/lib/workers/concurrency.js';
import { parallelism } from '../../web/lib/base/platform.js';
import { compileLoop, spin } from '../../web/lib/engine/core-probe.js';
import { busyDuring, collect, isError, load, sleep } from './helpers.js';
import { toyModel } from './toy.js';

/** @import { Link } from '../../web/lib/workers/link.js' */

const toy = toyModel({ classes: ['cat', 'dog'] });

test('only workers that speed up the run are kept', () => {
  /** @type {[string, number[], number][]} */
  const machines = [
    ['one core', [100, 50], 1],
    ['two sibling hyperthreads', [100, 62], 1],
    ['two cores', [100, 93], 2],
    ['two cores with two threads each', [100, 98, 0, 55], 2],
    ['three cores', [100, 97, 90], 3],
    ['four cores', [100, 97, 0, 85], 4],
    ['four cores, one of which was busy at first', [100, 60, 0, 85], 4],
    ['better than alone, within the precision of clocks', [90, 100], 2],
    ['a missing measurement', [100, 0, 0, 0], 1],
    ['a clock that stood still', [0, 0, 0, 100], 1],
    ['one worker', [100], 1],
  ];
  for (const [name, speeds, count] of machines) assert.equal(worthwhile(speeds), count, name);
});

test('a worker that starts late has a lower measured speed, and the clock may run backwards', async () => {
  const loop = await compileLoop();
  assert.equal(spin(loop, 0, 1), 0, 'the whole time has passed');
  let whole = 0;
  let late = Infinity;
  // Measures five times and takes the best values, because the machine may be busy.
  for (let i = 0; i < 5; i++) {
    const now = Date.now() + 1;
    whole = Math.max(whole, spin(loop, now, now + 10));
    late = Math.min(late, spin(loop, Date.now() - 90, Date.now() + 10));
  }
  assert.ok(late > 0 && late < whole / 4, `${late} of ${whole}`);

  const { now } = Date;
  let time = now();
  Date.now = () => --time;
  try {
    assert.equal(spin(loop, time + 5, time + 10), 0, 'gives up');
  } finally {
    Date.now = now;
  }
});

/**
 * Returns links to fake workers. `answer` determines the speed of each worker.
 *
 * @param {number} count
 * @param {(worker: number, together: number) => any} answer  returns the speed of a worker when `together` workers are measured at once; 0
 *   means that the worker does not start
 */
function fake(count, answer) {
  let together = 0;
  const ended = new Set();
  const links = Array.from({ length: count }, (_, worker) => ({
    end: () => ended.add(worker),
    /** @param {AbortSignal} signal */
    job(signal) {
      let stop = () => {};
      const stopped = new Promise((_, reject) => (stop = () => reject(signal.reason)));
      stopped.catch(() => {});
      signal.addEventListener('abort', stop);
      return {
        /** @param {{ from: number }} message */
        async ask({ from }) {
          signal.throwIfAborted();
          if (from === 0) return { speed: await Promise.race([answer(worker, 0), stopped]) };
          together++;
          await sleep(0); // waits until the library has asked all workers to start
          const speed = answer(worker, together);
          await sleep(0);
          together--;
          return { speed };
        },
        end: () => signal.removeEventListener('abort', stop),
      };
    },
  }));
  return {
    links: /** @type {Link[]} */ (/** @type {unknown} */ (links)),
    /** @param {Link[]} kept */
    check(kept) {
      assert.deepEqual(
        kept,
        links.filter((_, worker) => !ended.has(worker)),
        'other workers are ended',
      );
      return kept.length;
    },
  };
}

/**
 * @param {Link[]} links
 * @param {Promise<unknown>} [loaded]
 * @param {Map<number, Promise<Link>>} [others]  links that replace some of `links`
 */
async function add(links, loaded = Promise.resolve(), others = new Map()) {
  const starts = links.map((link, i) => () => others.get(i) ?? Promise.resolve(link));
  const [first, ...more] = starts;
  const kept = await addWorthwhile([first()], () => /** @type {() => Promise<Link>} */ (more.shift())(), links.length, loaded);
  await sleep(0);
  return kept;
}

test('the library keeps the workers that speed up the run, and ends the others', async () => {
  /** @type {[number, (worker: number, together: number) => number, number][]} */
  const machines = [
    [4, () => 100, 4],
    [4, (_, together) => 200 / Math.max(2, together), 2],
    [4, (_, together) => 100 / Math.max(1, together), 1],
    [4, (worker, together) => (together === 4 && worker === 3 ? 40 : 100), 2], // a run takes as long as its slowest worker
    [3, () => 100, 3],
    [2, () => 100, 2],
  ];
  for (const [i, [count, answer, expected]] of machines.entries()) {
    const { links, check } = fake(count, answer);
    assert.equal(check(await add(links)), expected, `machine ${i}`);
  }
});

test('the best of three measurements counts', async () => {
  let asked = 0;
  const { links, check } = fake(2, (_, together) => (together === 2 && asked++ < 4 ? 30 : 100));
  assert.equal(check(await add(links)), 2);
  assert.equal(asked, 6);
});

test('workers that do not start are skipped; if the first worker does not start, loading fails', async () => {
  const reason = new Error('not here');
  const gone = Promise.reject(reason);
  gone.catch(() => {});
  const { links } = fake(4, () => 100);
  assert.deepEqual(await add(links, undefined, new Map([[1, gone]])), [links[0], links[2], links[3]]);

  const three = fake(4, (worker) => (worker === 2 ? gone : 100));
  assert.equal(three.check(await add(three.links)), 3);

  const none = fake(2, (worker) => (worker === 0 ? gone : 100));
  assert.equal(
    none.check((await add(none.links)).concat(none.links[1])),
    2,
    'no other worker is kept, and opening the model fails with the reason',
  );
  await assert.rejects(add(links, undefined, new Map([[0, gone]])), reason);
});

test('speeds are measured while the rest of the model is loading, and only briefly once it has loaded', async () => {
  // The second worker starts late.
  const slow = () => fake(2, (worker, together) => (worker === 1 && together === 0 ? sleep(200) : 100));
  const first = slow();
  assert.equal(first.check(await add(first.links, sleep(300))), 2);

  const second = slow();
  const before = performance.now();
  assert.equal(second.check(await add(second.links)), 1);
  assert.ok(performance.now() - before < 190);

  const failed = Promise.reject(new Error('no file'));
  failed.catch(() => {});
  const third = fake(2, (worker) => (worker === 1 ? new Promise(() => {}) : 100));
  assert.equal(third.check(await add(third.links, failed)), 1);
});

test('the drawn values do not depend on the number of workers that the library keeps on this machine', async () => {
  const model = await load(toy, { workers: 'auto' });
  assert.ok(model.workers >= 1 && model.workers <= Math.min(4, await parallelism()), `${model.workers} workers`);
  const one = await load(toy);
  assert.equal(one.workers, 1);
  const [auto, alone] = await Promise.all([model, one].map((m) => collect(m.generate({ samples: 5, seed: 7, label: 'dog' }))));
  assert.deepEqual([auto.values, auto.nats], [alone.values, alone.nats]);
  model.close();
  one.close();
  const three = await load(toy, { workers: 3 });
  assert.equal(three.workers, 3);
  three.close();
});

test('loading may fail or be aborted while workers are measured', async () => {
  await assert.rejects(load(toy.subarray(0, 500), { workers: 'auto' }), isError('format'));
  await assert.rejects(load('/no/such/file.gguf', { workers: 'auto' }), isError('network'));
  const reason = new Error('enough');
  for (const ms of [0, 30, 50, 60]) {
    const end = new AbortController();
    const loading = load(new Response(new ReadableStream()), { workers: 'auto', signal: end.signal });
    setTimeout(() => end.abort(reason), ms);
    await assert.rejects(loading, reason);
  }
  await sleep(100);
  const busy = await busyDuring(200);
  assert.ok(busy < 200 * 0.12, `${busy.toFixed(0)} ms of work in 200 ms`);
});
