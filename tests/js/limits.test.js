// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that inputs that are too long are refused before they are read. If a list has a hole or a wrong item, the error states its index.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { rowsOf } from '../kinds/js.js';
import { GOLDEN, busyIn, isError } from './helpers.js';

const [story, translator] = /** @type {any[]} */ (
  await Promise.all(['stories260K', 'transformer-end'].map((name) => load(`${GOLDEN}${name}.gguf`)))
);
after(() => [story, translator].forEach((model) => model.close()));

test('a text longer than any context is refused immediately, in every form', async () => {
  const long = 'a b '.repeat(2e6);
  for (const ask of [
    () => story.generate(long),
    () => story.generate('a'.repeat(8e6)),
    () => story.generate(new Uint32Array(5e6)),
    () => translator.translate(long),
    () => translator.translate(' '.repeat(1e8)),
    () => translator.translate(new Uint32Array(5e6)),
  ]) {
    const busy = await busyIn(() => assert.throws(ask, isError('argument', /has over \d+ tokens, and this model sees \d+/)));
    assert.ok(busy < 1000, `${ask} took ${busy} ms`);
  }
  assert.doesNotThrow(() => translator.translate(`a${' '.repeat(200)}b`)); // repeated spaces count as one, so the text is not too long
});

test('lists with holes, and maps with wrong items, are refused', async () => {
  const hole = (/** @type {unknown[]} */ ...list) => {
    delete list[1];
    return list;
  };
  for (const row of Object.values(rowsOf('holes'))) {
    if (typeof row === 'string') continue;
    const model = await load(row.file);
    after(() => model.close());
    for (const call of row.calls(model, hole)) await assert.rejects(call, isError('argument', row.said));
  }
  for (const logitBias of [
    hole(1, 2, 3),
    [1],
    new Map([[Symbol('a'), 1]]),
    new Map([[Object.create(null), 1]]),
    new Map([['a', '1']]),
    new Set([1]),
    'a',
    5,
  ]) {
    assert.throws(
      () => story.generate('a', { logitBias }),
      (/** @type {any} */ error) => error.name === 'NextPixelError' && error.code === 'argument',
    );
  }
  assert.throws(() => story.generate(hole(1, 2, 3)), isError('argument', /undefined is not a token/));
  assert.throws(() => story.generate(null), isError('argument', /A prompt must be/));
});

test('an error in a callback reaches the caller unchanged', async () => {
  const mine = new Error('mine');
  const fail = () => {
    throw mine;
  };
  await assert.rejects(translator.translate('a b', { beams: 2, onSearch: fail }).text(), (error) => error === mine);
});
