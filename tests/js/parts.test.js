// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs a model of two parts (the relay) through the core and through the worker. The first part generates no sequence, but returns ids,
 * which are an input of the second part.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Core } from './core.js';
import { Jobs } from '../../web/lib/engine/jobs.js';
import { writeGGUF } from './gguf.js';
import { ROOT, give, isError } from './helpers.js';
import { ids } from './toy.js';

/** @import { FromWorker } from '../../web/lib/engine/protocol.js' */

const OUT = `${ROOT}build/relay`;

/** Builds the library with only the relay model. */
function relay() {
  mkdirSync(OUT, { recursive: true });
  execFileSync('sh', ['build.sh', 'wasm-with', 'tests/js/relay/relay.c', `${OUT}/relay.wasm`], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new WebAssembly.Module(readFileSync(`${OUT}/relay.wasm`));
}

const module = relay();
const file = writeGGUF({ metadata: { 'general.architecture': ['string', 'relay'], 'general.alignment': ['u32', 32] }, tensors: {} });
const words = ids(9000, 50); // so many words that the first part takes more than one chunk
const marks = words.map((word, i) => (7 * word + (i ? words[i - 1] : 0)) % 16);
const floats = Float32Array.from({ length: 2 * words.length }, (_, i) => (i % 2 ? -marks[i >> 1] : words[i >> 1] / 4));

test('a part that generates no sequence has results and draws nothing', () => {
  const core = new Core(module, file);
  assert.deepEqual(
    core.parts.map(({ outputs, span }) => [outputs, span]),
    [
      [0, 0],
      [16, 1],
    ],
  );
  assert.equal(core.part, core.parts[1]);
  assert.deepEqual(
    core.parts[0].results.map(({ name, values, dims }) => [name, values, dims[1]]),
    [
      ['marks', 16, 1],
      ['floats', 0, 2],
      ['sum', 0, 1],
    ],
  );
  const inputs = { words: words.subarray(0, 100) };
  const session = core.openSession({ seed: 0n, samples: 1, topP: 1 }, { part: 0, inputs });
  core.input(session, 'words', inputs.words);
  assert.throws(() => core.result(session, 'marks', 0, 1), isError('argument'));
  while (core.encode(session));
  assert.deepEqual(core.result(session, 'marks', 90, 10), marks.slice(90, 100));
  assert.deepEqual(core.result(session, 'floats', 0, 200), floats.slice(0, 200));
  assert.deepEqual(
    [core.resultLength(session, 'marks'), core.resultLength(session, 'floats'), core.resultLength(session, 'sum')],
    [100, 200, 1],
  );
  assert.throws(() => core.result(session, 'marks', 90, 11), isError('argument'));
  assert.throws(() => core.result(session, 'tags', 0, 1), isError('argument', /has no result 'tags'/));
  core.closeSession(session);
  assert.throws(() => core.openSession({ seed: 0n, samples: 2, topP: 1 }, { part: 0, inputs }), isError('argument'));
});

test('the ids that a part returns are an input of the next part', () => {
  const core = new Core(module, file);
  const inputs = { marks: marks.subarray(0, 30) };
  const session = core.openSession({ seed: 1n, samples: 2, temperature: 0 }, { part: 1, inputs, length: 30 });
  give(core, session, inputs);
  const { ids: drawn } = core.draw(session, 30);
  assert.deepEqual(
    [...drawn],
    [...inputs.marks].flatMap((mark) => [mark, mark]),
  );
  assert.equal(session.part.index, 1);
});

test('the worker encodes with the first part and then draws with the second part', () => {
  /** @type {FromWorker[]} */
  const posted = [];
  /** @type {(() => void)[]} */
  const waiting = [];
  const jobs = new Jobs(
    (message) => posted.push(message),
    (task) => () => waiting.push(task),
  );
  const settle = () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) task();
  };
  jobs.receive({ type: 'open', id: 1, module, bytes: file });
  posted.pop();
  jobs.receive({ type: 'encode', id: 2, part: 0, inputs: { words } });
  settle();
  const all = posted.pop();
  assert.ok(all?.type === 'encoded' && all.id === 2);
  assert.deepEqual(all.results.marks, marks);
  assert.deepEqual(all.results.floats, floats);
  assert.equal(all.results.sum.length, 1);
  jobs.receive({ type: 'encode', id: 3, part: 0, inputs: { words }, results: ['sum'] });
  settle();
  const one = posted.pop();
  assert.ok(one?.type === 'encoded');
  assert.deepEqual(Object.keys(one.results), ['sum']);
  const known = /** @type {Uint32Array<ArrayBuffer>} */ (all.results.marks).subarray(0, 12);
  jobs.receive({
    type: 'draw',
    id: 4,
    known: new Uint32Array(0),
    inputs: { marks: known },
    settings: { seed: 1n, samples: 1, temperature: 0 },
    length: 12,
  });
  jobs.receive({ type: 'next', id: 4, chunkSize: 12 });
  settle();
  const step = posted.pop();
  assert.ok(step?.type === 'step' && step.last);
  assert.deepEqual([...step.ids], [...known]);
  jobs.receive({ type: 'encode', id: 5, part: 0, inputs: { words }, results: ['tags'] });
  jobs.receive({ type: 'encode', id: 6, part: 0, inputs: { words: Uint32Array.of(50) } });
  jobs.receive({ type: 'encode', id: 7, part: 2, inputs: {} });
  settle();
  // On a slow machine, job 5 takes several slices and ends after the others.
  assert.deepEqual(
    posted.sort((a, b) => a.id - b.id).map((message) => message.type === 'failed' && [message.id, message.error.code]),
    [
      [5, 'argument'],
      [6, 'argument'],
      [7, 'argument'],
    ],
  );
  assert.equal(jobs.core?.sessions, 0);
});

test('a stop while inputs are read frees the run', () => {
  /** @type {FromWorker[]} */
  const posted = [];
  /** @type {(() => void)[]} */
  const waiting = [];
  const jobs = new Jobs(
    (message) => posted.push(message),
    (task) => () => waiting.push(task),
  );
  jobs.receive({ type: 'open', id: 1, module, bytes: file });
  jobs.receive({ type: 'encode', id: 2, part: 0, inputs: { words } });
  waiting.shift()?.();
  assert.equal(jobs.core?.sessions, 1);
  jobs.receive({ type: 'stop', id: 2 });
  assert.equal(jobs.core?.sessions, 0);
});
