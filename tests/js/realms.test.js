// SPDX-License-Identifier: MIT
// @ts-check

/** Arrays, maps and pictures of another realm, as an iframe or a test runner makes them, and what is no argument at all. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

import { tokenizer } from '../../web/lib/index.js';
import { sentenceOf } from '../../web/lib/translate.js';
import { DIGITS, GOLDEN, isError, load } from './helpers.js';
import { toyText } from './toy-text.js';

/** Something made in another realm. @param {string} code @param {object} [given] */
const foreign = (code, given = {}) => runInNewContext(code, given);

test('a weight file in arrays of another realm', async () => {
  const bytes = toyText();
  const array = foreign('Uint8Array.from(list)', { list: [...bytes] });
  assert.equal(array instanceof Uint8Array, false);
  for (const source of [array, array.buffer]) {
    const model = await load(source);
    assert.equal(model.info.name, 'toy text');
    assert.ok((await model.score(foreign('Uint32Array.of(1, 5, 6)'))).nats > 0);
    assert.ok((await model.score(foreign('[1, 5, 6]'))).nats > 0);
    const biased = model.tokens([1], { maxTokens: 3, logitBias: foreign('new Map([[5, 1e9]])') });
    await biased.text();
    assert.deepEqual([...biased.ids], [1, 5, 5, 5]);
    model.close();
    assert.equal((await tokenizer(source)).find('ab'), 263);
  }
});

test('a picture in an array of another realm', async () => {
  const model = await load(DIGITS);
  const data = foreign('new Uint8ClampedArray(28 * 28).fill(7)');
  for (const one of [data, foreign('new Uint8Array(28 * 28).fill(7)'), foreign('Array(28 * 28).fill(7)')]) {
    const { nats } = await model.score({ data: one, width: 28, height: 28 });
    assert.ok(nats > 0);
  }
  model.close();
});

test('addresses that are none, folders and devices', async () => {
  for (const address of ['http://[', 'https://', 'http://a b/']) await assert.rejects(load(address), isError('network', /Cannot fetch/));
  for (const path of [tmpdir(), '/dev/null', '/']) await assert.rejects(load(path), isError('network', /it is a (folder|device)/));
  for (const source of /** @type {any[]} */ ([Object.create(null), Symbol('x'), () => {}, null, 7n, [], new Date()])) {
    await assert.rejects(load(source), isError('argument', /load\(\) takes/));
    await assert.rejects(tokenizer(source), isError('argument', /tokenizer\(\) takes/));
  }
});

test('options and lists that are none', async () => {
  const stories = `${GOLDEN}stories260K.gguf`;
  const own = await tokenizer(new Uint8Array(await readFile(stories)));
  for (const options of /** @type {any[]} */ ([null, 7, 'special', Symbol('x')])) {
    await assert.rejects(tokenizer(stories, options), isError('argument', /options must be an object/));
    assert.throws(() => own.encode('a', options), isError('argument', /options must be an object/));
    assert.throws(() => own.decode([1], options), isError('argument', /options must be an object/));
  }
  await assert.rejects(tokenizer(stories, /** @type {any} */ ({ signal: {} })), isError('argument', /signal must be an AbortSignal/));
  for (const list of /** @type {any[]} */ ([undefined, null, 7, 'abc', {}, Symbol('x')])) assert.throws(() => own.decode(list), isError('argument', /decode\(\) takes a list/));
  for (const id of /** @type {any[]} */ ([Symbol('x'), Object.create(null), null, 1.5, () => {}])) {
    for (const use of [() => own.decode([id]), () => own.bytes(id), () => own.name(id), () => own.kind(id)]) assert.throws(use, isError('argument', /is no token/));
  }
  const model = await load(stories);
  const saved = model.tokens('Once', { maxTokens: 2, seed: 3 }).save();
  for (const changed of /** @type {any[]} */ ([{ seed: 'x' }, { seed: 7.5 }, { prompt: -1 }, { prompt: 1.5 }, { prompt: 'x' }, { ids: 'abc' }, { model: Symbol('x') }, { options: null }, { options: 7 }, { version: 2 }])) {
    assert.throws(() => model.resume({ ...saved, ...changed }), isError('state'), JSON.stringify(Object.keys(changed)));
  }
  for (const nothing of /** @type {any[]} */ ([null, undefined, 7, 'x', []])) assert.throws(() => model.resume(nothing), isError('state'));
  const round = JSON.parse(JSON.stringify(model.tokens('Once', { logitBias: new Map(/** @type {[string | number, number][]} */ ([[5, -Infinity], [' the', 2]])), stop: ['x'], seed: 5, maxTokens: 3 }).save()));
  assert.ok(model.resume(round, { maxTokens: 3 }));
  model.close();
});

test('sentences as people paste them', () => {
  const plain = 'Ein "Hund" l\u00e4uft zum Fu\u00dfball, \'ne Affenhitze.';
  for (const pasted of [
    'Ein \u201eHund\u201c l\u00e4uft zum Fu\u00dfball, \u2019ne Affenhitze.'.replace('\u201e', '\u201c'), 'Ein "Hund" la\u0308uft zum Fu\u00dfball, \'ne Affen\u00adhitze.',
    '\ufeffEin \u00abHund\u00bb l\u00e4uft\u200b zum Fu\u00df\u200dball, \u2018ne Affenhitze.', '\u200eEin "Hund" l\u00e4uft zum\u00a0 Fu\u00dfball,\n \'ne Affenhitze.\u2060',
  ]) assert.equal(sentenceOf(pasted), plain, JSON.stringify(pasted));
  assert.equal(sentenceOf('\ufb01nden, \ufb02iegen, gri\ufb00ig'), 'finden, fliegen, griffig');
  assert.equal(sentenceOf('\u201eNein\u201c'), '"Nein"');
});
