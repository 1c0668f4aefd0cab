// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the worker's side of the protocol, one chunk at a time, with a fake clock and a fake event loop. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Jobs } from '../../web/lib/engine/jobs.js';
import { SliceSize } from '../../web/lib/engine/pace.js';
import { wasmModule } from './helpers.js';
import { ids, toyModel, toyNetwork } from './toy.js';

/** @import { FromWorker, StepMessage } from '../../web/lib/engine/protocol.js' */

const SETTINGS = { seed: 1n, samples: 2, temperature: 1, topK: 0, topP: 1 };
const ELEMENTS = 64;

/**
 * Returns a worker that computes one chunk each time the test asks for it.
 *
 * @param {Uint8Array<ArrayBuffer>} [bytes]  weight file of its model
 */
function bench(bytes = toyModel()) {
  /** @type {FromWorker[]} */
  const posted = [];
  /** @type {(() => void)[]} */
  const loop = [];
  let time = 0;
  // The clock advances 5 ms whenever it is read, so every chunk seems to take 5 ms.
  const jobs = new Jobs(
    (message) => posted.push(message),
    (task) => () => void loop.push(task),
    () => (time += 5),
  );
  jobs.receive({ type: 'open', id: 1, module: wasmModule, bytes });
  posted.length = 0;
  return {
    jobs,
    posted,
    /** Computes one chunk. Returns false if no chunk was left. */
    slice() {
      const task = loop.shift();
      task?.();
      return task !== undefined;
    },
    /** Computes all remaining chunks. Returns how many there were. */
    settle() {
      let slices = 0;
      while (this.slice()) assert.ok(++slices < 10000);
      return slices;
    },
    get sessions() {
      return jobs.core?.sessions;
    },
  };
}

test('open returns the model', () => {
  /** @type {FromWorker[]} */
  const posted = [];
  const jobs = new Jobs(
    (message) => posted.push(message),
    () => () => {},
  );
  jobs.receive({ type: 'open', id: 7, module: wasmModule, bytes: toyModel() });
  assert.equal(posted.length, 1);
  assert.ok(posted[0].type === 'opened' && posted[0].id === 7 && posted[0].metadata.get('general.name') === 'toy');
  assert.equal(posted[0].parts[0].length, ELEMENTS);
  jobs.receive({ type: 'open', id: 8, module: wasmModule, bytes: new Uint8Array(10) });
  assert.ok(posted[1].type === 'failed' && posted[1].id === 8 && posted[1].error.code === 'format');
});

test('a run computes nothing before its first credit, and one chunk per credit', () => {
  const { jobs, posted, settle, ...worker } = bench();
  const self = { ...worker, settle };
  jobs.receive({ type: 'draw', id: 2, known: ids(10), inputs: {}, settings: SETTINGS });
  assert.equal(self.settle(), 0);
  assert.equal(jobs.core?.sessions, 0);
  for (let from = 10; from < ELEMENTS; from += 9) {
    jobs.receive({ type: 'next', id: 2, chunkSize: 9 });
    self.settle();
    const step = /** @type {StepMessage} */ (posted.pop());
    assert.deepEqual([step.type, step.id, step.from, step.to], ['step', 2, from, Math.min(from + 9, ELEMENTS)]);
    assert.ok(step.ids instanceof Uint32Array);
    assert.equal(step.ids.length, (step.to - step.from) * SETTINGS.samples);
    assert.equal(step.last, step.to === ELEMENTS);
    assert.equal(posted.length, 0);
    assert.equal(self.settle(), 0);
    assert.equal(jobs.core?.sessions, step.last ? 0 : 1);
  }
  jobs.receive({ type: 'next', id: 2, chunkSize: 9 }); // has no effect, because the run has ended
  assert.equal(self.settle(), 0);
});

test('stop frees a run in any state, and nothing more is computed', () => {
  for (let slices = 0; slices < 8; slices++) {
    const worker = bench();
    worker.jobs.receive({ type: 'draw', id: 2, known: ids(40), inputs: {}, settings: SETTINGS });
    worker.jobs.receive({ type: 'next', id: 2, chunkSize: 24 });
    for (let i = 0; i < slices; i++) worker.slice();
    const posted = worker.posted.length;
    worker.jobs.receive({ type: 'stop', id: 2 });
    assert.equal(worker.sessions, 0);
    worker.settle();
    assert.equal(worker.posted.length, posted);
    worker.jobs.receive({ type: 'stop', id: 2 });
    worker.jobs.receive({ type: 'next', id: 2, chunkSize: 1 });
    assert.equal(worker.settle(), 0);
  }
  const worker = bench();
  for (const [id, type] of /** @type {const} */ ([
    [2, 'score'],
    [3, 'look'],
  ])) {
    worker.jobs.receive({ type, id, ids: ids(ELEMENTS), inputs: {} });
    worker.slice();
    assert.equal(worker.sessions, 1);
    worker.jobs.receive({ type: 'stop', id });
    assert.equal(worker.sessions, 0);
    worker.settle();
  }
  assert.deepEqual(worker.posted, []);
});

const enlarging = toyModel({ width: 4, height: 4, channels: 3, levels: 256, output: 'dmol', inputWidth: 2 });

const small = { image: ids(12, 256) };

test('if a position has three ids, `from` and `to` of a step count positions, not ids', () => {
  const worker = bench(enlarging);
  const { jobs, posted } = worker;
  jobs.receive({ type: 'draw', id: 2, known: ids(9, 256), inputs: small, settings: SETTINGS });
  jobs.receive({ type: 'next', id: 2, chunkSize: 4 });
  worker.settle();
  const step = /** @type {StepMessage} */ (posted.pop());
  assert.deepEqual([step.from, step.to, step.ids.length, step.nats.length, step.last], [3, 7, 24, 24, false]);
  jobs.receive({ type: 'next', id: 2, chunkSize: 100 });
  worker.settle();
  const rest = /** @type {StepMessage} */ (posted.pop());
  assert.deepEqual([rest.from, rest.to, rest.last], [7, 16, true]);
  jobs.receive({ type: 'score', id: 3, ids: ids(48, 256), inputs: small });
  worker.settle();
  const scored = /** @type {import('../../web/lib/engine/protocol.js').ScoredMessage} */ (posted.pop());
  assert.equal(scored.nats.length, 48);
});

test('the small picture is read in separate chunks, and no memory of an invalid picture remains allocated', () => {
  for (let slices = 1; slices < 4; slices++) {
    const worker = bench(enlarging);
    worker.jobs.receive({ type: 'score', id: 2, ids: ids(48, 256), inputs: small });
    for (let i = 0; i < slices; i++) worker.slice();
    assert.equal(worker.posted.length, 0);
    assert.equal(worker.sessions, 1);
    worker.jobs.receive({ type: 'stop', id: 2 });
    assert.equal(worker.sessions, 0);
    worker.settle();
    assert.equal(worker.posted.length, 0);
  }
  const worker = bench(enlarging);
  worker.jobs.receive({ type: 'score', id: 3, ids: ids(48, 256), inputs: { image: ids(11, 256) } });
  worker.jobs.receive({ type: 'score', id: 4, ids: ids(48, 256), inputs: {} });
  worker.jobs.receive({ type: 'score', id: 5, ids: ids(48, 256), inputs: { ...small, picture: ids(12, 256) } });
  worker.jobs.receive({
    type: 'score',
    id: 6,
    ids: ids(48, 256),
    inputs: { image: Uint32Array.from(small.image, (value) => 256 + value) },
  });
  worker.settle();
  assert.deepEqual(
    worker.posted.map((message) => message.type === 'failed' && [message.id, message.error.code]),
    [
      [3, 'argument'],
      [4, 'argument'],
      [5, 'argument'],
      [6, 'argument'],
    ],
  );
  assert.equal(worker.sessions, 0);
});

test('an invalid id fails only the run that used it', () => {
  const worker = bench();
  worker.jobs.receive({ type: 'score', id: 2, ids: ids(ELEMENTS, 17), inputs: {} });
  worker.jobs.receive({ type: 'draw', id: 3, known: Uint32Array.of(0, 2 ** 32 - 1), inputs: {}, settings: SETTINGS });
  worker.jobs.receive({ type: 'look', id: 4, ids: Uint32Array.of(16), inputs: {} });
  worker.jobs.receive({ type: 'next', id: 3, chunkSize: 0 });
  worker.settle();
  assert.deepEqual(worker.posted.map((message) => message.type === 'failed' && [message.id, message.error.code]).sort(), [
    [2, 'argument'],
    [3, 'argument'],
    [4, 'argument'],
  ]);
  assert.equal(worker.sessions, 0);
});

test('a model without attention runs and scores in chunks, too', () => {
  const worker = bench(toyNetwork());
  worker.jobs.receive({ type: 'draw', id: 2, known: ids(10, 2), inputs: {}, settings: SETTINGS });
  worker.jobs.receive({ type: 'next', id: 2, chunkSize: ELEMENTS });
  assert.ok(worker.settle() > 2);
  const step = /** @type {StepMessage} */ (worker.posted.pop());
  assert.deepEqual([step.from, step.to, step.last, step.ids.length], [10, ELEMENTS, true, 2 * (ELEMENTS - 10)]);
  assert.ok(step.ids.every((id) => id < 2) && step.nats.every((cost) => cost > 0));
  worker.jobs.receive({ type: 'score', id: 3, ids: ids(ELEMENTS, 2), inputs: {} });
  worker.settle();
  assert.ok(worker.posted[0].type === 'scored' && worker.posted[0].nats.length === ELEMENTS);
  assert.equal(worker.sessions, 0);
});

test('concurrent runs alternate', () => {
  const worker = bench();
  worker.jobs.receive({ type: 'draw', id: 2, known: ids(0), inputs: {}, settings: SETTINGS });
  worker.jobs.receive({ type: 'draw', id: 3, known: ids(0), inputs: {}, settings: SETTINGS });
  for (const id of [2, 3]) worker.jobs.receive({ type: 'next', id, chunkSize: 0 });
  /** @type {Record<number, number>} */
  const positions = { 2: 0, 3: 0 };
  for (let i = 0; i < 6; i++) {
    worker.slice();
    const step = /** @type {StepMessage} */ (worker.posted.at(-1));
    assert.equal(step.id, 2 + (i % 2));
    positions[step.id] = step.to;
    worker.jobs.receive({ type: 'next', id: step.id, chunkSize: 0 });
  }
  assert.ok(positions[2] > 0 && positions[3] > 0);
  assert.equal(worker.sessions, 2);
});

test('no memory of a failed request remains allocated', () => {
  const worker = bench();
  worker.jobs.receive({ type: 'score', id: 2, ids: ids(ELEMENTS), inputs: { class: Uint32Array.of(5) } });
  worker.jobs.receive({
    type: 'draw',
    id: 3,
    known: ids(ELEMENTS - 1),
    inputs: {},
    settings: { ...SETTINGS, temperature: NaN },
  });
  worker.jobs.receive({ type: 'next', id: 3, chunkSize: 0 });
  worker.settle();
  assert.deepEqual(
    worker.posted.map((message) => message.type === 'failed' && [message.id, message.error.code]),
    [
      [2, 'argument'],
      [3, 'argument'],
    ],
  );
  assert.equal(worker.sessions, 0);
});

test('the chunk size adapts to the speed of the machine, and each adaptation is bounded', () => {
  /** @type {(ms: number, first: number) => number} */
  const settled = (ms, first) => {
    const pace = new SliceSize(first);
    for (let i = 0; i < 40; i++) pace.record(pace.count, pace.count * ms);
    return pace.count;
  };
  assert.equal(settled(0.1, 1), 100);
  assert.equal(settled(0.1, 5000), 100);
  assert.equal(settled(50, 32), 1, 'at least one element, however slow');
  assert.ok(settled(0, 1) >= 8192 && Number.isFinite(settled(0, 1)), 'a clock that stands still');
  const pace = new SliceSize(8);
  pace.record(8, 0);
  assert.equal(pace.count, 16);
  pace.record(16, 1e6);
  assert.equal(pace.count, 4);
  pace.record(1, 0.001);
  assert.equal(pace.count, 4, 'a short chunk does not raise it');
});
