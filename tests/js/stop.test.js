// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests runs that end early, by `break`, an abort signal or close(). Checks which promises reject, with which error, and that nothing is
 * computed afterwards.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { busyDuring, busyIn, collect, isError, load, sleep, wasmBytes } from './helpers.js';
import { UNREACHABLE, patch, wasmUrl } from './patch.js';
import { noise, toyModel } from './toy.js';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

/** A model that is so large that a picture takes seconds. */
const slow = toyModel({
  width: 256,
  height: 256,
  embedding: 64,
  feedForward: 256,
  queryBlock: 256,
  memoryBlock: 256,
  blocks: 8,
});
const toy = toyModel();
const image = { data: noise(256 * 256), width: 256, height: 256 };
const reason = new Error('enough');

/** An idle process uses less than this share of a processor. A busy process uses more, even if it competes with other processes. */
const IDLE = 0.12;

/** @param {Model} model */
async function stillWorks(model) {
  for await (const { values } of model.generate({ chunkSize: 2, seed: 1 })) {
    assert.equal(values.length, 2);
    break;
  }
}

/**
 * @param {string} name
 * @param {(model: Model) => Promise<void>} body
 */
function withSlow(name, body) {
  test(name, async () => {
    const model = await load(slow);
    try {
      await body(model);
    } finally {
      model.close();
    }
  });
}

/**
 * Checks that the process becomes idle within five attempts, which together take about 1.2 seconds. The rest of the current chunk and V8's
 * compilation of the engine take less time. A run that does not stop takes longer.
 */
async function assertIdle() {
  let busy = 0;
  for (let attempt = 0; attempt < 5; attempt++) {
    await sleep(30);
    busy = await busyDuring(200);
    if (busy < 200 * IDLE) return;
  }
  assert.fail(`${busy.toFixed(0)} ms of work in 200 ms`);
}

withSlow('the measurement works: a run that is read keeps the processor busy', async (model) => {
  const end = new AbortController();
  const reading = collect(model.generate({ signal: end.signal }));
  const busy = await busyDuring(300);
  end.abort();
  await assert.rejects(reading, { name: 'AbortError' });
  assert.ok(busy > 300 * IDLE, `${busy.toFixed(0)} ms of work in 300 ms`);
});

withSlow('without a consumer, nothing is computed', async (model) => {
  model.generate();
  const steps = model.generate()[Symbol.asyncIterator]();
  await steps.next();
  await steps.next();
  await assertIdle();
  assert.equal((await steps.next()).done, false);
  await steps.return();
});

withSlow('leaving the loop stops a run', async (model) => {
  let count = 0;
  for await (const step of model.generate()) {
    void step;
    if (++count === 3) break;
  }
  await assertIdle();
  await stillWorks(model);
});

withSlow('an error thrown in the loop reaches the caller', async (model) => {
  await assert.rejects(async () => {
    for await (const step of model.generate()) throw Object.assign(reason, { step });
  }, reason);
  await assertIdle();
});

withSlow('a signal that was aborted before a call rejects the call', async (model) => {
  await assert.rejects(collect(model.generate({ signal: AbortSignal.abort() })), { name: 'AbortError' });
  await assert.rejects(collect(model.complete(image, { rows: 256, signal: AbortSignal.abort() })), {
    name: 'AbortError',
  });
  await assert.rejects(model.score(image, { signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(model.attention(image, { row: 0, column: 0, signal: AbortSignal.abort(reason) }), reason);
  await stillWorks(model);
});

for (const [what, start] of /** @type {[string, (model: Model, signal: AbortSignal) => Promise<any>][]} */ ([
  ['a run', (model, signal) => collect(model.generate({ signal }))],
  ['a step of a huge chunk', (model, signal) => collect(model.generate({ chunkSize: 65536, signal }))],
  ['the known part', (model, signal) => collect(model.complete(image, { rows: 255, signal }))],
  ['a score', (model, signal) => model.score(image, { signal })],
  ['an attention', (model, signal) => model.attention(image, { row: 255, column: 255, signal })],
])) {
  withSlow(`abort during ${what} rejects immediately and ends the computation`, async (model) => {
    const end = new AbortController();
    const work = start(model, end.signal);
    await sleep(100);
    const busy = await busyIn(() => {
      end.abort(reason);
      return assert.rejects(work, reason);
    });
    assert.ok(busy < 250, `${busy} ms`);
    await assertIdle();
    await stillWorks(model);
  });
}

withSlow('an abort between two steps frees the run, and the next step rejects', async (model) => {
  const end = new AbortController();
  const steps = model.generate({ signal: end.signal, samples: 2 })[Symbol.asyncIterator]();
  await steps.next(); // with two samples, the second step is already available
  end.abort(reason);
  await assert.rejects(steps.next(), reason);
  assert.deepEqual(await steps.next(), { done: true, value: undefined });
});

test('abort after a run changes nothing', async () => {
  const model = await load(toy);
  const end = new AbortController();
  const { values } = await collect(model.generate({ signal: end.signal }));
  assert.equal(values[0].length, 64);
  end.abort();
  await stillWorks(model);
  model.close();
});

withSlow('close() rejects all calls in progress', async (model) => {
  const steps = model.generate({ chunkSize: 65536 })[Symbol.asyncIterator]();
  const other = model.generate()[Symbol.asyncIterator]();
  await other.next();
  const untouched = model.generate();
  const pending = [
    assert.rejects(steps.next(), isError('closed')),
    assert.rejects(model.score(image), isError('closed')),
    assert.rejects(model.attention(image, { row: 255, column: 0 }), isError('closed')),
  ];
  await sleep(30);
  model.close();
  model.close();
  await Promise.all(pending);
  await assert.rejects(other.next(), isError('closed'));
  await assert.rejects(collect(untouched), isError('closed'));
  assert.throws(() => model.generate(), isError('closed'));
  assert.throws(() => model.complete(image), isError('closed'));
  await assert.rejects(model.score(image), isError('closed'));
  await assertIdle();
});

test('interrupted, aborted, failed and finished runs are freed', async () => {
  // The memory has space for about sixty runs of one sample. If runs of any kind were not freed, the memory would become full.
  const model = await load(toy, { wasmUrl: wasmUrl(patch(wasmBytes, { maxPages: 17 })) });
  const small = { data: noise(64), width: 8, height: 8 };
  for (let i = 0; i < 100; i++) {
    await stillWorks(model); // draws, and leaves the loop early
    await collect(model.generate());
    await model.score(small);
    await model.attention(small, { row: 1, column: 1 });
    const end = new AbortController();
    const steps = model.generate({ signal: end.signal, chunkSize: 1 })[Symbol.asyncIterator]();
    await steps.next();
    const pending = steps.next();
    end.abort();
    await assert.rejects(pending, { name: 'AbortError' });
    await assert.rejects(collect(model.generate({ samples: 64 })), isError('memory'));
  }
  model.close();
});

test('a trap rejects all concurrent calls, and the next call starts a new engine', async () => {
  const trapping = patch(wasmBytes, { functions: { nx_session_draw: UNREACHABLE } });
  const model = await load(slow, { wasmUrl: wasmUrl(trapping) });
  const scoring = assert.rejects(model.score(image), isError('trap', /Another run/));
  await sleep(20);
  await assert.rejects(collect(model.generate()), isError('trap', /nx_session_draw/));
  await scoring;
  const small = await load(slow);
  const at = { row: 3, column: 3 };
  assert.deepEqual(await model.attention(image, at), await small.attention(image, at));
  await assert.rejects(collect(model.generate()), isError('trap'));
  model.close();
  small.close();
});

test('too little memory for a run gives an error, and the model stays usable', async () => {
  const small = patch(wasmBytes, { maxPages: 20 });
  const model = await load(toyModel({ width: 16, height: 16 }), { wasmUrl: wasmUrl(small) });
  await assert.rejects(collect(model.generate({ samples: 64 })), isError('memory'));
  assert.equal((await collect(model.generate())).values[0].length, 256);
  model.close();
});

test('a model that computes non-finite values gives an error with the code numeric', async () => {
  const model = await load(toyModel({ outputScale: 5e37, embedding: 64 }));
  const small = { data: noise(64), width: 8, height: 8 };
  await assert.rejects(model.score(small), isError('numeric'));
  await assert.rejects(collect(model.generate()), isError('numeric'));
  await assert.rejects(model.score(small), isError('numeric'));
  model.close();
});

withSlow(
  'stop() ends a run immediately, even in a step of a huge chunk or in the given part, and the drawn part can be saved',
  async (model) => {
    for (const start of [() => model.generate({ chunkSize: 65536, seed: 1 }), () => model.complete(image, { rows: 255, seed: 1 })]) {
      const run = start();
      const reading = collect(run);
      await sleep(100);
      const busy = await busyIn(async () => {
        run.stop();
        await reading;
      });
      assert.ok(busy < 250, `${busy} ms`);
      assert.equal(run.finish, 'abort');
      assert.ok(run.save());
      await assertIdle();
    }
    await stillWorks(model);
  },
);
