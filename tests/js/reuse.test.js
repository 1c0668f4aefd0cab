// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the reuse of sessions: a run can continue in the session of an earlier run of the same model. The later run must draw the same bits
 * as a run on a new model, but read fewer tokens. The number of kept sessions must be bounded.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { argumentError } from '../../web/lib/base/error.js';
import { KeptSessions, MOST_BYTES } from '../../web/lib/engine/kept.js';
import { load } from './helpers.js';
import { file, same } from './reused.js';

/** @import { TextOptions } from '../../web/lib/index.js' */

test('with another seed, another end or an edited prompt, the common prefix is not read again, and the earlier run stays cached', async () => {
  const model = await load(file());
  const ask = (/** @type {string} */ prompt, /** @type {TextOptions} */ options = {}) =>
    same(model, (one) => one.generate(prompt, { seed: 1, maxTokens: 40, ...options }));
  const first = await ask('ab abc ab abc ab abc');
  const again = await ask('ab abc ab abc ab abc', { seed: 2 });
  assert.equal(again.reused, again.prompt);
  const edited = await ask('ab abc ab bc bc bc bc bc');
  assert.ok(edited.reused > 3 && edited.reused < edited.prompt);
  const back = await same(model, (one) => one.generate(first.ids, { seed: 3, maxTokens: 4 }));
  assert.equal(back.reused, first.ids.length);
  const shorter = await same(model, (one) => one.generate(first.ids.slice(0, 9), { seed: 3, maxTokens: 4 }));
  assert.equal(shorter.reused, 9);
  model.close();
});

test('a run after other runs gives the same bits as a separate run, with maps, biases, alternatives, penalties, and with 8- or 16-bit keys', async () => {
  const model = await load(file());
  /** @type {TextOptions[]} */
  const all = [
    {},
    { maps: true },
    { logitBias: { 65: 3 } },
    { logitBias: { 65: 3, 66: -1 } },
    { alternatives: 4 },
    { repetitionPenalty: 1.5, penaltyLast: 40 },
    { keyBits: 16 },
    { temperature: 0 },
    {},
    { maps: true },
    { keyBits: 16 },
  ];
  for (const [i, options] of all.entries()) {
    const { reused, prompt } = await same(model, (one) => one.generate('ab abc ab abc', { seed: i, maxTokens: 20, ...options }));
    assert.equal(reused, i === 0 || i === 6 ? 0 : prompt, `${i}: keys with another number of bits are read again`);
  }
  model.close();
});

test('sessions are reused after an end, a stop, a break or an abort, and while another run continues', async () => {
  const model = await load(file());
  const prompt = 'ab abc ab';
  const end = 2;
  const ended = await same(model, (one) => one.generate(prompt, { seed: 1, logitBias: { [end]: 1e9 }, maxTokens: 5 }));
  const after = await same(model, (one) => one.generate([...ended.ids, end, 5, 6], { seed: 1, maxTokens: 5 }));
  assert.equal(after.reused, ended.ids.length + 1, 'the token that ended the text, too');
  for await (const step of model.generate(prompt, { seed: 2, maxTokens: 100 })) if (step) break;
  const stopper = new AbortController();
  await assert.rejects(async () => {
    for await (const step of model.generate(prompt, { seed: 3, signal: stopper.signal })) if (step) stopper.abort();
  });
  const next = await same(model, (one) => one.generate(prompt, { seed: 2, maxTokens: 100 }));
  assert.equal(next.reused, next.prompt);
  const [a, b] = await Promise.all([1, 2].map((seed) => same(model, (one) => one.generate(prompt, { seed, maxTokens: 60 }))));
  assert.ok(a.reused === a.prompt && b.reused === b.prompt);
  model.close();
});

test('a text longer than the context, its branches and its score reuse sessions', async () => {
  const bytes = file(40);
  const model = await load(bytes);
  const long = await same(model, (one) => one.generate('ab abc ab abc', { seed: 5, maxTokens: 100 }), bytes);
  const longer = await same(model, (one) => one.generate('ab abc ab abc', { seed: 5, maxTokens: 130 }), bytes);
  assert.deepEqual(longer.ids.slice(0, long.ids.length), long.ids);
  const run = model.generate('ab abc ab abc', { seed: 5, maxTokens: 20 });
  await run.text();
  const saved = run.save();
  const branch = await same(model, (one) => one.resume(saved, { at: 7, seed: 9, maxTokens: 9 }), bytes);
  assert.equal(branch.reused, branch.prompt + 7);
  const { nats } = await model.score(long.ids.slice(0, 30));
  const fresh = await load(bytes);
  assert.equal(nats, (await fresh.score(long.ids.slice(0, 30))).nats);
  fresh.close();
  model.close();
});

test('a part that cannot rewind far enough restarts, and its cached state is dropped', () => {
  const message = /** @type {any} */ ({ part: 0, settings: {}, known: [1, 2, 3] });
  /** @type {any[]} */
  const closed = [];
  const refuse = () => {
    throw argumentError('Resuming a run failed');
  };
  const kept = new KeptSessions(
    /** @type {any} */ ({ closeSession: (/** @type {any} */ session) => closed.push(session), rewind: refuse, branch: refuse }),
  );
  const session = /** @type {any} */ ({ bytes: 10 });
  kept.add(session, [1, 2, 3, 4], message);
  assert.equal(kept.take({ ...message, settings: { first: 1 } }), undefined, 'the session of another sample is neither reused nor copied');
  assert.deepEqual(closed, []);
  assert.equal(kept.take(message), undefined);
  assert.deepEqual(closed, [session]);
});

test('at most four sessions are kept; apart from the last one, they use at most 128 MB', () => {
  /** @type {any[]} */
  const closed = [];
  const kept = new KeptSessions(/** @type {any} */ ({ closeSession: (/** @type {any} */ session) => closed.push(session) }));
  const message = /** @type {any} */ ({ settings: {}, known: [] });
  for (let i = 0; i < 6; i++) kept.add(/** @type {any} */ ({ bytes: 1000 + i }), [i], message);
  assert.deepEqual(
    closed.map(({ bytes }) => bytes),
    [1000, 1001],
  );
  kept.add(/** @type {any} */ ({ bytes: MOST_BYTES - 2000 }), [9], message);
  assert.equal(closed.length, 5);
  assert.ok(kept.bytes <= MOST_BYTES);
  kept.add(/** @type {any} */ ({ bytes: 3 * MOST_BYTES }), [10], message);
  assert.equal(kept.bytes, 3 * MOST_BYTES, 'the last session is kept whatever its size');
  assert.ok(kept.clear());
  assert.ok(!kept.clear());
  assert.equal(closed.length, 8);
});
