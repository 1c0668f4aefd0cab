// SPDX-License-Identifier: MIT
// @ts-check

/** Tests constraints on generated text: a choice of several strings, a custom grammar, and a constraint that allows no token. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { constraintOf } from '../../web/lib/kinds/text/constraint.js';
import { GOLDEN, isError, load } from './helpers.js';
import { toyText } from './toy-text.js';

const model = await load(`${GOLDEN}stories260K.gguf`);
after(() => model.close());
const { tokenizer } = model;
const words = Math.ceil(tokenizer.size / 32);

/** @param {(id: number) => boolean} may */
const maskOf = (may) => {
  const mask = new Uint32Array(words);
  for (let id = 0; id < tokenizer.size; id++) if (may(id)) mask[id >>> 5] |= 1 << (id & 31);
  return mask;
};

test('oneOf draws one of the texts, in any tokenization, and ends', async () => {
  const choices = [' a big dog', ' a bigger dog', ' a cat', ' Ünder'];
  const seen = new Set();
  for (let seed = 0; seed < 12; seed++) {
    const run = model.generate('Once there was', { oneOf: choices, seed });
    const text = await run.text();
    assert.ok(choices.includes(text), JSON.stringify(text));
    assert.equal(run.finish, 'end');
    seen.add(text);
  }
  assert.ok(seen.size > 1);
  const greedy = (/** @type {object} */ more) =>
    model.generate('Once upon', { temperature: 0, oneOf: [' a time', ' the hill'], ...more }).text();
  assert.equal(await greedy({}), ' a time');
  assert.equal(await greedy({ topK: 1 }), ' a time', 'the filters see only the allowed tokens');
  assert.equal(await greedy({ logitBias: { ' the': 50 } }), ' the hill', 'biases count');
  // If one string is a prefix of another, the run may end after the shorter string.
  const both = await Promise.all(
    Array.from({ length: 40 }, (_, seed) => model.generate('The', { oneOf: [' cat', ' cat sat'], seed, temperature: 100 }).text()),
  );
  assert.ok(both.includes(' cat') && both.includes(' cat sat'), [...new Set(both)].join('|'));
});

test('oneOf searches a large vocabulary in chunks, and allows the tokens that start the remaining text', async () => {
  const texts = Array.from({ length: 500 }, (_, i) => `choice number ${i} of many`);
  const pieces = ['choice', 'cho', ' number', ' ', '1', '12', '123', '9x', 'of', ''];
  const encoder = new TextEncoder();
  const size = 200_000;
  const vocabulary = /** @type {any} */ ({
    size,
    isEnd: (/** @type {number} */ id) => id === 7,
    kind: () => 'normal',
    bytes: (/** @type {number} */ id) => encoder.encode(pieces[id] ?? `none ${id}`),
  });
  const choice = /** @type {any} */ (constraintOf({ oneOf: texts }, vocabulary));
  let turns = 0;
  const timer = setInterval(() => {
    turns++;
  });
  await choice.start(vocabulary);
  clearInterval(timer);
  assert.ok(turns > 0, 'another task must run between chunks');
  const allowed = (/** @type {number[]} */ ...ids) => {
    const mask = choice.next(Uint32Array.from(ids));
    return Array.from({ length: size }, (_, id) => id).filter((id) => (mask[id >>> 5] >>> (id & 31)) & 1);
  };
  assert.deepEqual(allowed(), [0, 1]);
  assert.deepEqual(allowed(0), [2, 3]);
  assert.deepEqual(allowed(0, 2, 3), [4, 5, 6], 'and no tokens of a later part');
});

test('oneOf: text that equals the name of a control token is read as ordinary characters', async () => {
  const run = model.generate('Once', { oneOf: ['<s>'], seed: 1 });
  assert.equal(await run.text(), '<s>');
  assert.ok([...run.ids.slice(run.promptLength)].every((id) => tokenizer.kind(id) !== 'control'));
});

test('a constraint that forbids nothing changes no bit', async () => {
  const collect = async (/** @type {any} */ options) => {
    const steps = [];
    for await (const { token, nats } of model.generate('Once upon a time', {
      seed: 5,
      maxTokens: 40,
      topP: 0.9,
      logitBias: { 300: 2 },
      ...options,
    }))
      steps.push([token, nats]);
    return steps;
  };
  const plain = await collect({});
  assert.equal(plain.length, 40);
  assert.deepEqual(await collect({ constraint: { next: () => undefined } }), plain);
  assert.deepEqual(await collect({ constraint: { next: () => maskOf(() => true) } }), plain);
  assert.deepEqual(await collect({ constraint: { next: () => new Int32Array(words + 3).fill(-1) } }), plain);
});

test('a custom constraint receives the tokens and may be slow; the drawn tokens obey it', async () => {
  /** @type {number[][]} */
  const told = [];
  let begun = 0;
  const constraint = {
    start: (/** @type {unknown} */ given) => {
      begun++;
      assert.equal(given, tokenizer);
    },
    next: async (/** @type {Uint32Array} */ ids) => {
      told.push([...ids]);
      await new Promise((done) => {
        setTimeout(done, 1);
      });
      const even = ids.length % 2 === 0;
      return maskOf((id) => /^ ?[a-z]+$/.test(tokenizer.name(id)) === even && !tokenizer.isEnd(id) && tokenizer.name(id) !== '');
    },
  };
  const run = model.generate('Once', { constraint, maxTokens: 6, seed: 2, alternatives: 2, temperature: 2 });
  /** @type {number[]} */
  const ids = [];
  for await (const { token, alternatives } of run) {
    assert.equal(alternatives?.length, 2);
    ids.push(token);
  }
  assert.equal(begun, 1);
  assert.deepEqual(
    told,
    ids.map((_, i) => ids.slice(0, i)),
  );
  ids.forEach((id, i) => assert.equal(/^ ?[a-z]+$/.test(tokenizer.name(id)), i % 2 === 0, tokenizer.name(id)));
  const saved = JSON.parse(JSON.stringify(run.save()));
  told.length = 0;
  await model.resume(saved, { constraint, at: 3, maxTokens: 3 }).text();
  assert.deepEqual(told[0], ids.slice(0, 3));
  assert.deepEqual([...told[2], ids[5]].slice(0, 5), ids.slice(0, 5), 'the resumed run continues with the same tokens');
});

test('an empty mask ends the run; an error in a constraint reaches the caller; other runs continue', async () => {
  let left = 3;
  const run = model.generate('Once', { constraint: { next: () => (left-- > 0 ? undefined : new Uint32Array(words)) }, seed: 1 });
  assert.equal((await run.ids).length > 0, true);
  await run.text();
  assert.equal(run.ids.length - run.promptLength, 3);
  assert.equal(run.finish, 'end');
  const mine = new Error('mine');
  await assert.rejects(
    model
      .generate('Once', {
        constraint: {
          next: () => {
            throw mine;
          },
        },
      })
      .text(),
    (error) => error === mine,
  );
  await assert.rejects(
    model.generate('Once', { constraint: { start: () => Promise.reject(mine), next: () => undefined } }).text(),
    (error) => error === mine,
  );
  for (const mask of [5, [1, 2], new Uint32Array(words - 1), new Uint8Array(words), null, 'all']) {
    await assert.rejects(
      model.generate('Once', { constraint: { next: () => /** @type {any} */ (mask) } }).text(),
      isError('argument', /constraint.next\(\) must return a mask, a Uint32Array of \d+ words/),
    );
  }
  assert.notEqual(await model.generate('Once', { seed: 1, maxTokens: 5 }).text(), '');
});

test('an invalid constraint is refused before anything is computed', async () => {
  for (const constraint of [5, {}, { next: 1 }, null, 'root ::= "x"', { start: 1, next: () => undefined }]) {
    assert.throws(
      () => model.generate('a', { constraint: /** @type {any} */ (constraint) }),
      isError('argument', /constraint must be an object with next/),
    );
  }
  for (const oneOf of [[], 'yes', [''], [1], ['a', , 'b'], {}, null, Array(1001).fill('a')]) {
    // eslint-disable-line no-sparse-arrays
    assert.throws(
      () => model.generate('a', { oneOf: /** @type {any} */ (oneOf) }),
      isError('argument', /oneOf must be a list of 1 to 1000 strings/),
    );
  }
  assert.throws(
    () => model.generate('a', { oneOf: Array(1000).fill('a'.repeat(300)) }),
    isError('argument', /more than 262144 characters/),
  );
  assert.throws(
    () => model.generate('a', { oneOf: ['a'], constraint: { next: () => undefined } }),
    isError('argument', /pass only one of them/),
  );
  assert.throws(() => model.generate('a', /** @type {any} */ ({ grammar: 'root' })), isError('argument', /has no option grammar/));
  const bare = await load(toyText({ metadata: { 'tokenizer.ggml.model': undefined } }));
  assert.throws(() => bare.generate([1], { oneOf: ['a'] }), isError('argument', /needs a vocabulary/));
  bare.close();
});

test('a run whose constraint never answers can still be ended: by its signal, by stop(), by close() and by leaving the loop', async () => {
  const never = () => new Promise(() => {});
  const alive = setInterval(() => {}, 1000);
  for (const constraint of [{ next: never }, { start: never, next: () => undefined }]) {
    const open = await load(`${GOLDEN}stories260K.gguf`);
    const stopper = new AbortController();
    const aborted = open.generate('a', { constraint: /** @type {any} */ (constraint), signal: stopper.signal }).text();
    const stopped = open.generate('a', { constraint: /** @type {any} */ (constraint) });
    const ended = stopped.text();
    const left = open.generate('a', { constraint: /** @type {any} */ (constraint) });
    const steps = left[Symbol.asyncIterator]();
    const step = steps.next();
    const closed = open.generate('a', { constraint: /** @type {any} */ (constraint) }).text();
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    stopper.abort();
    await assert.rejects(aborted, { name: 'AbortError' });
    stopped.stop();
    assert.equal(await ended, '');
    assert.equal(stopped.finish, 'abort');
    left.stop();
    assert.deepEqual(await step, { done: true, value: undefined });
    open.close();
    await assert.rejects(closed, isError('closed'));
  }
  clearInterval(alive);
});
