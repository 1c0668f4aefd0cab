// SPDX-License-Identifier: MIT
// @ts-check

/** Tests audio codes: encoding, decoding, runs that draw several levels of codes, and errors. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';

import { NextPixelError, load } from '../../web/lib/index.js';
import { reachOf } from '../../web/lib/kinds/code/reach.js';
import { GOLDEN, ROOT, isError } from './helpers.js';
import { readWav } from './sounds.js';

/** @import { CodeRun } from '../../web/lib/kinds/code/code-run.js' */
/** @import { CodeOptions } from '../../web/lib/options.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const model = /** @type {AnyModel} */ (await load(`${GOLDEN}jukebox-tiny.gguf`));
after(() => model.close());
const [TOP, BOTTOM] = model.info.codes ?? [];
const RATIO = TOP.hop / BOTTOM.hop;

/** @param {CodeOptions} options @returns {CodeRun} */
const generate = (options, of = model) => /** @type {any} */ (of.generate(/** @type {any} */ (options)));
/** @param {any} sound @param {CodeOptions} options @returns {CodeRun} */
const complete = (sound, options) => /** @type {any} */ (model.complete(sound, /** @type {any} */ (options)));

/** @param {number} length */
const tone = (length) => ({ samples: Float32Array.from({ length }, (_, i) => 0.5 * Math.sin(i / 3) * Math.sin(i / 40)), sampleRate: 8000 });

/** Options whose seed gives a run with several codes. */
const LONG = { label: 1, speaker: 0, seed: await longSeed() };
async function longSeed() {
  for (let seed = 1; ; seed++) {
    const { top } = await told(generate({ label: 1, speaker: 0, seed }));
    if (top.length > 5) return seed;
  }
}

/**
 * Collects the results of a run's steps: codes by level, and audio samples.
 * @param {AsyncIterable<import('../../web/lib/kinds/code/code-run.js').CodeStep>} run
 */
async function told(run) {
  /** @type {{ top: number[], bottom: number[], samples: number[], nats: number[], order: string[] }} */
  const all = { top: [], bottom: [], samples: [], nats: [], order: [] };
  for await (const { level, from, to, codes, samples, nats } of run) {
    const list = level === 'sound' ? all.samples : all[level];
    assert.equal(from, list.length);
    list.push(...(level === 'sound' ? samples : codes));
    all.nats.push(...nats);
    assert.equal(to, list.length);
    if (all.order.at(-1) !== level) all.order.push(level);
  }
  return all;
}

test("info describes the file's levels", () => {
  assert.equal(model.info.kind, 'code');
  assert.deepEqual(model.info.verbs.sort(), ['complete', 'decode', 'encode', 'generate']);
  assert.deepEqual([TOP.name, TOP.hop, TOP.codes, BOTTOM.name, BOTTOM.hop, BOTTOM.codes], ['top', 16, 20, 'bottom', 4, 24]);
  assert.deepEqual([model.info.sampleRate, model.info.speakers, model.info.positions], [8000, ['0', '1'], 0]);
  assert.deepEqual([reachOf([4, 4], 3), reachOf([2], 1)], [19, 3]);
});

test('a sound is encoded to one code per hop, and decoded to the same number of samples', async () => {
  for (const length of [1, 15, 16, 17, 333]) {
    const { top, bottom, heard } = await model.encode(tone(length));
    const count = Math.ceil(length / TOP.hop);
    assert.deepEqual([top.length, bottom.length, heard.samples.length], [count, count * RATIO, length]);
    const [both, one, alone] = await Promise.all([model.decode({ top, bottom }), model.decode({ bottom }), model.decode({ top })]);
    assert.deepEqual([both.sampleRate, both.samples.length, alone.samples.length], [8000, count * TOP.hop, count * TOP.hop]);
    assert.deepEqual(both.samples, one.samples);
    assert.notDeepEqual(alone.samples, one.samples);
  }
});

test('the top level of a digit is drawn before the bottom level; samples decoded during the run have the same bits as at its end', async () => {
  const whole = await told(generate(LONG));
  assert.equal(whole.bottom.length, whole.top.length * RATIO);
  assert.equal(whole.nats.length, whole.top.length + whole.bottom.length);
  assert.ok(whole.nats.every((nats) => nats > 0));
  assert.deepEqual(Float32Array.from(whole.samples), (await model.decode({ bottom: whole.bottom })).samples);
  for (const chunkSize of [1, 3, 7]) {
    const { order, ...all } = await told(generate({ ...LONG, chunkSize }));
    const { order: _, ...same } = whole;
    assert.deepEqual(all, same, `steps of ${chunkSize}`);
  }
  assert.notDeepEqual((await told(generate({ ...LONG, seed: LONG.seed + 1 }))).top, whole.top);
  const two = /** @type {AnyModel} */ (await load(`${GOLDEN}jukebox-tiny.gguf`, { workers: 2 }));
  assert.deepEqual((await told(generate(LONG, two))).samples, whole.samples);
  two.close();
});

test('samples of the bottom level are available before the level is complete', async () => {
  const long = /** @type {AnyModel} */ (await load(changed(await readFile(`${GOLDEN}jukebox-tiny.gguf`))));
  const { order, samples, bottom } = await told(generate({ label: 1, speaker: 0, seed: 3, chunkSize: 1, seconds: 10 }, long));
  assert.equal(bottom.length, 12 * RATIO);
  assert.equal(samples.length, 12 * TOP.hop);
  assert.ok(order.indexOf('sound') < order.lastIndexOf('bottom'), order.join());
  long.close();
});

/** Changes the tiny model so that no run ends early. @param {Uint8Array} bytes */
function changed(bytes) {
  const file = new Uint8Array(bytes);
  const view = new DataView(file.buffer);
  // Finds the last number of the tensor top.output.bias, which is the bias of the end token, and sets it to -50.
  const name = Buffer.from('top.output.bias');
  const at = Buffer.from(file.buffer).indexOf(name) + name.length;
  const dims = view.getUint32(at, true);
  const offset = Number(view.getBigUint64(at + 4 + 8 * dims + 4, true));
  let end = 0; // the data begin at the next multiple of 32 after the list of tensors
  const last = Buffer.from(file.buffer).lastIndexOf('.bias');
  for (let from = last + 5; ; from++)
    if (view.getUint32(from, true) <= 2 && view.getUint32(from, true) > 0) {
      end = from + 4 + 8 * view.getUint32(from, true) + 12;
      break;
    }
  const data = Math.ceil(end / 32) * 32;
  view.setFloat32(data + offset + 4 * TOP.codes, -50, true);
  return file;
}

test('several readers of one run get its samples and its WAV file', async () => {
  const run = generate(LONG);
  const [samples, wav] = await Promise.all([run.samples(), run.wav()]);
  assert.equal(run.finish, 'length');
  assert.deepEqual([...samples], (await told(run)).samples);
  const read = readWav(new Uint8Array(await wav.arrayBuffer()));
  assert.deepEqual([read.rate, read.data.length], [8000, samples.length]);
});

test('a run saved at any step continues with the same bits, and a stopped run reports that it was stopped', async () => {
  const whole = await told(generate({ ...LONG, chunkSize: 2 }));
  assert.deepEqual((await told(/** @type {any} */ (model.resume(generate(LONG).save())))).samples, whole.samples, 'saved before it began');
  assert.throws(() => complete(tone(70), { seconds: 0.01 }).save(), isError('state', /await run.input first/));
  for (const steps of [1, 2, 3, 5, 8]) {
    const run = generate({ ...LONG, chunkSize: 2 });
    /** @type {number[]} */
    const samples = [];
    let left = steps;
    for await (const step of run) {
      samples.push(...step.samples);
      if (--left === 0) run.stop();
    }
    assert.equal(run.finish, 'abort');
    const again = await told(/** @type {any} */ (model.resume(JSON.parse(JSON.stringify(run.save())))));
    assert.deepEqual([again.top, again.bottom, again.samples], [whole.top, whole.bottom, whole.samples], `after ${steps} steps`);
  }
  const done = generate(LONG);
  await done.samples();
  const saved = done.save();
  for (const wrong of [
    { ...saved, ids: undefined },
    { ...saved, ids: [{ top: [TOP.codes] }] },
    { ...saved, most: 'x' },
    { ...saved, ids: [] },
  ]) {
    assert.throws(() => model.resume(/** @type {any} */ (wrong)), isError('state'));
  }
  assert.throws(() => model.resume(/** @type {any} */ ({ ...saved, model: 'another' })), isError('state', /another model/));
  assert.throws(() => model.resume(/** @type {any} */ (saved), { seed: 4 }), isError('argument', /cannot change seed/));
  const stopper = new AbortController();
  await assert.rejects(
    async () => {
      for await (const _ of generate({ ...LONG, chunkSize: 1, signal: stopper.signal })) stopper.abort();
    },
    { name: 'AbortError' },
  );
});

test('a sound is continued through its codes', async () => {
  const sound = tone(70);
  const { top, bottom } = await model.encode(sound);
  const run = complete(sound, { seed: 2, seconds: 0.01 });
  const all = await told(run);
  const whole = Math.floor(70 / TOP.hop);
  assert.equal((await run.input)?.samples.length, 70);
  assert.deepEqual(all.top.slice(0, whole), [...top.slice(0, whole)]);
  assert.deepEqual(all.bottom.slice(0, whole * RATIO), [...bottom.slice(0, whole * RATIO)]);
  assert.ok(all.top.length >= whole);
  assert.equal(all.samples.length, all.top.length * TOP.hop);
});

test('the shipped file draws the codes that this test has recorded', async () => {
  const shipped = /** @type {AnyModel} */ (await load(`${ROOT}weights/jukebox-small.gguf`));
  const { top, bottom } = await told(generate({ label: '7', speaker: 'jackson', seed: 4 }, shipped));
  shipped.close();
  assert.equal(top.length, 49);
  assert.deepEqual(top.slice(0, 12), [17, 17, 52, 225, 206, 141, 160, 94, 94, 13, 158, 94]);
  assert.deepEqual(
    bottom.slice(0, 24),
    [252, 156, 189, 62, 59, 195, 252, 174, 195, 195, 195, 72, 68, 115, 208, 115, 222, 121, 237, 33, 155, 143, 13, 185],
  );
});

test('invalid calls give errors whose messages name the problem', async () => {
  const { top, bottom } = await model.encode(tone(64));
  /** @type {[any, RegExp][]} */
  const wrong = [
    [undefined, /Codes must be \{ bottom \} or \{ top \}/],
    [{}, /Codes must be/],
    [{ top: [] }, /1 to \d+ codes of the top level, not 0/],
    [{ bottom: [BOTTOM.codes] }, /Code 0 of the bottom level must be a whole number from 0 to 23, not 24/],
    [{ top: [0, 0.5] }, /Code 1 of the top level/],
    [{ top, bottom: bottom.slice(1) }, /4 codes of the top level belong to 16 of the bottom level, not 15/],
  ];
  for (const [codes, said] of wrong) await assert.rejects(model.decode(codes), isError('argument', said));
  await assert.rejects(
    model.encode({ samples: new Float32Array(300000), sampleRate: 8000 }),
    isError('argument', /37\.5 seconds: this model encodes at most 32\.8/),
  );
  await assert.rejects(model.encode({ samples: new Float32Array(0), sampleRate: 8000 }), isError('argument', /empty/));
  await assert.rejects(complete(tone(500), {}).samples(), isError('argument', /continues less than 0\.0/));
  assert.throws(() => generate({ label: 3 }), NextPixelError);
  assert.throws(() => generate({ speaker: 'nobody' }), isError('argument', /speaker must be one of 0, 1/));
  assert.throws(() => generate(/** @type {any} */ ({ probabilities: true, seconds: 0 })), isError('argument', /seconds/));
});
