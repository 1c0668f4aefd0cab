// SPDX-License-Identifier: MIT
// @ts-check

/** Tests runs of models with a very long context. The memory must depend on the length of the run, not on the length of the context. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Core, memoryOf } from './core.js';
import { Jobs } from '../../web/lib/engine/jobs.js';
import { GOLDEN, isError, load, wasmModule } from './helpers.js';
import { toyText } from './toy-text.js';
import { toyTranslation } from './toy-translation.js';

/** Options that prevent the end token, so that a run does not end early. */
const ENDLESS = { logitBias: { 1: -Infinity, 2: -Infinity }, seed: 1 };
const SETTINGS = {
  seed: 7n,
  samples: 1,
  temperature: 1,
  topK: 0,
  topP: 1,
  logitBias: /** @type {[number, number][]} */ ([
    [1, -1e9],
    [2, -1e9],
  ]),
};

/** @param {AsyncIterable<import('../../web/lib/index.js').TextStep>} run */
async function idsOf(run) {
  const ids = [];
  for await (const { token } of run) ids.push(token);
  return ids;
}

test('with a context of 131,072 tokens of 16 KB each, a short run works, and the error for an impossible length states this length', async () => {
  const model = await load(toyText({ context: 131072, keyLength: 1024 }));
  assert.equal(model.info.positions, 131072);
  const run = model.generate('ab', ENDLESS); // by default, a run may be as long as the context; memory for the whole context would be 2.1 GB
  let count = 0;
  for await (const { nats } of run) {
    assert.ok(nats > 0);
    if (++count === 400) break; // longer than the initial capacity
  }
  const { nats } = await model.score('abcabc'.repeat(20));
  assert.ok(nats > 0);
  const bytes = 16384 * 131072;
  assert.ok(bytes > 2 ** 31 - 1);
  const core = new Core(wasmModule, toyText({ context: 131072, keyLength: 1024 }));
  const before = memoryOf(core);
  const session = core.openSession(SETTINGS, { length: 256 });
  assert.ok(memoryOf(core) - before < 16e6, `${memoryOf(core) - before} bytes for 256 tokens`);
  assert.throws(
    () => core.growSession(session, 131072),
    isError('limit', /A text of 131072 tokens takes more than 2 GB: ask for fewer with maxTokens/),
  );
  core.growSession(session, 512);
  assert.equal(session.length, 512);
  core.closeSession(session);
  assert.equal(core.sessions, 0);
  assert.throws(() => core.openSession(SETTINGS), isError('limit', /maxTokens/));
  model.close();
});

/** Draws a whole run as the worker does. @param {number} length @param {object} message */
function drawn(length, message) {
  /** @type {any[]} */
  const messages = [];
  /** @type {(() => void)[]} */
  const waiting = [];
  const jobs = new Jobs(
    (sent) => void messages.push(sent),
    (task) => () => void waiting.push(task),
  );
  jobs.receive({ type: 'open', id: 1, module: wasmModule, bytes: /** @type {any} */ (file) });
  jobs.receive(/** @type {any} */ ({ type: 'draw', id: 2, inputs: {}, settings: SETTINGS, length, ...message }));
  for (let last = false; !last; ) {
    jobs.receive({ type: 'next', id: 2, chunkSize: 0 });
    while (waiting.length > 0) waiting.shift()?.();
    const sent = messages.at(-1);
    if (sent.type === 'failed') throw new Error(sent.error.message);
    ({ last } = sent);
  }
  assert.equal(jobs.core?.sessions, 0);
  const steps = messages.filter(({ type }) => type === 'step');
  return {
    ids: steps.flatMap(({ ids }) => [...ids]),
    nats: steps.flatMap(({ nats }) => [...nats]),
    maps: steps.flatMap(({ maps }) => maps ?? []),
  };
}

const file = toyText({ context: 4096 });

test('a run whose memory grows has the same results as a run that has all its memory from the beginning', () => {
  const length = 1500;
  const core = new Core(wasmModule, file);
  for (const settings of [{}, { samples: 3 }, { lookAhead: true, lookUp: true, temperature: 0.3 }]) {
    const own = { ...SETTINGS, ...settings };
    const session = core.openSession(own, { length });
    const ids = [];
    const nats = [];
    core.put(session, Uint32Array.of(1, 5, 6), false);
    while (core.position(session) < length) {
      const slice = core.draw(session, Math.min(100, length - core.position(session)));
      ids.push(...slice.ids);
      nats.push(...slice.nats);
      if (slice.ended) break;
    }
    core.closeSession(session);
    const grown = drawn(length, { known: Uint32Array.of(1, 5, 6), settings: own });
    assert.deepEqual(grown.ids, ids);
    assert.deepEqual(grown.nats, nats);
    if (own.samples > 1) continue;
    assert.deepEqual(drawn(length, { known: Uint32Array.of(1, 5, 6), settings: own, alternatives: 2 }).ids, ids);
  }
  const looked = drawn(700, { known: Uint32Array.of(1, 5, 6), maps: true });
  assert.deepEqual(looked.ids, drawn(700, { known: Uint32Array.of(1, 5, 6) }).ids);
  for (const [i, rows] of looked.maps.flat(0).entries()) {
    for (const { keys, weights } of rows) {
      assert.equal(keys.length, 3 + i);
      assert.ok(Math.abs(weights.reduce((/** @type {number} */ sum, /** @type {number} */ weight) => sum + weight, 0) - 1) < 1e-3);
    }
  }
});

test('the memory of a run grows more than once, and the run continues', () => {
  const core = new Core(wasmModule, file);
  const session = core.openSession(SETTINGS, { length: 64 });
  core.put(session, Uint32Array.of(1, 5), false);
  core.draw(session, 62);
  core.growSession(session, 200);
  const there = core.draw(session, 136).ids;
  core.closeSession(session);
  const again = core.openSession(SETTINGS, { length: 64 });
  core.put(again, Uint32Array.of(1, 5), false);
  core.draw(again, 62);
  core.growSession(again, 100);
  const half = core.draw(again, 36).ids;
  core.growSession(again, 200);
  assert.deepEqual([...half, ...core.draw(again, 100).ids], [...there]);
  assert.throws(() => core.growSession(again, 200), isError('argument'));
  assert.throws(() => core.growSession(again, 5000), isError('argument'));
});

test('a run can be resumed and branched at any length, and score() allocates memory for the length of its text only', async () => {
  for (const source of [toyText({ context: 4096 }), await readFile(`${GOLDEN}stories260K.gguf`)]) {
    const model = await load(new Uint8Array(source));
    const most = Math.min(900, model.info.positions - 10);
    const run = model.generate('ab', { ...ENDLESS, maxTokens: most });
    const all = await idsOf(run);
    assert.equal(all.length, most);
    for (const at of [0, 250, 254, 255, 256, 300]) {
      const branch = model.resume(run.save(), { at, maxTokens: most - at });
      assert.deepEqual(await idsOf(branch), all.slice(at), `from ${at}`);
    }
    const { perToken } = await model.score([...run.ids]);
    const steps = [];
    for await (const { nats } of model.generate('ab', { ...ENDLESS, maxTokens: most })) steps.push(nats);
    steps.forEach((nats, i) => assert.ok(Math.abs(perToken[perToken.length - most + i] - nats) < 1e-4));
    model.close();
  }
});

test('a beam search allocates all memory at its start, for its maximum length', async () => {
  const model = await load(toyTranslation({ context: 400 }));
  const sentence = 'abc abba cab '.repeat(3).trim();
  const one = await model.translate(sentence, { maxTokens: 390 }).text();
  const four = await model.translate(sentence, { beams: 4, maxTokens: 390 }).text();
  assert.equal(one, sentence);
  assert.equal(four, sentence);
  model.close();
});
