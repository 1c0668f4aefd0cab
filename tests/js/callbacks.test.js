// SPDX-License-Identifier: MIT
// @ts-check

/**
 * If a callback that was passed to a method throws an error, immediately or later, the error must reach the caller of the method unchanged
 * and only once. The error must be reported nowhere else (an unhandled rejection would fail a test). If a callback must return its result
 * synchronously but returns a promise, the library must refuse the promise.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { acquire } from '../../web/lib/index.js';
import { WAYS, answersAtOnce, own } from './failing.js';
import { GOLDEN, isError, load, sleep } from './helpers.js';
import { toyModel } from './toy.js';

const toy = toyModel();
const NAMES = ['transformer-end', 'stories260K', 'wavenet-tiny', 'sagan-tiny'];
const [pictures, translations, texts, sounds, latents] = await Promise.all([
  load(toy),
  ...NAMES.map((name) => load(`${GOLDEN}${name}.gguf`)),
]);
after(() => [pictures, translations, texts, sounds, latents].forEach((model) => model.close()));

function canvas() {
  const nothing = () => {};
  const context = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'createImageData'
          ? (/** @type {number} */ width, /** @type {number} */ height) => ({ data: new Uint8ClampedArray(4 * width * height) })
          : name === 'measureText'
            ? () => ({ width: 5 })
            : nothing,
      set: () => true,
    },
  );
  return /** @type {any} */ ({ width: 100, height: 100, getContext: () => context });
}

/**
 * Returns a callback that calls `fail` the `count`-th time it is called, and otherwise does nothing.
 * @param {number} count
 * @param {() => any} fail
 */
function atCall(count, fail) {
  let calls = 0;
  return () => (++calls === count ? fail() : undefined);
}

const picture = (/** @type {object} */ options) => pictures.generate({ seed: 1 }).drawTo(canvas(), options);
const atReady =
  (/** @type {() => any} */ fail) =>
  (/** @type {{ phase: string }} */ { phase }) =>
    phase === 'ready' ? fail() : undefined;

/**
 * For each callback, a function that makes the library call the callback.
 * @type {Record<string, (fail: () => any) => Promise<unknown>>}
 */
const LISTENERS = {
  'onPaint, the first time': (fail) => picture({ onPaint: fail }),
  'onPaint, while the picture is drawn': (fail) => picture({ onPaint: atCall(2, fail) }),
  'onPaint, at the end': (fail) => {
    const run = pictures.generate({ seed: 1 });
    return run.drawTo(canvas(), /** @type {any} */ ({ onPaint: () => (run.finish ? fail() : undefined) }));
  },
  'onProgress of load()': (fail) => load(toy, { onProgress: fail }),
  'onProgress of load(), the last time': (fail) => load(toy, { onProgress: atReady(fail) }),
  'onProgress of load() with an address': (fail) => load(pathToFileURL(`${GOLDEN}fvsbn-tiny.gguf`), { onProgress: atCall(2, fail) }),
  onSearch: (fail) => translations.translate([1, 2], { beams: 2, maxTokens: 4, onSearch: fail }).text(),
  'onSearch, later': (fail) => translations.translate([1, 2], { beams: 2, maxTokens: 4, onSearch: atCall(2, fail) }).text(),
  'start of a constraint': (fail) => texts.generate('a', { maxTokens: 2, constraint: { start: fail, next: () => undefined } }).text(),
  'next of a constraint': (fail) => texts.generate('a', { maxTokens: 2, constraint: { next: fail } }).text(),
};

for (const [name, call] of Object.entries(LISTENERS)) {
  test(`an error thrown by ${name} reaches its caller once`, async () => {
    for (const [how, fail] of Object.entries(WAYS)) {
      await assert.rejects(call(fail), (error) => error === own, `${name} ${how}`);
      await sleep(20); // waits, so that an unhandled rejection would appear
    }
  });
}

test('the caller gets exactly the value that was thrown, even if it is undefined', async () => {
  for (const value of [undefined, null, 0, '', false, NaN]) {
    for (const [name, call] of Object.entries(LISTENERS)) {
      for (const fail of [
        () => {
          throw value;
        },
        () => Promise.reject(value),
      ]) {
        const answer = await call(fail).then(
          () => 'kept',
          (reason) => [reason],
        );
        assert.deepEqual(answer, [value], `${name}: ${value}`);
      }
    }
    await sleep(20);
  }
});

/** Calls that accept an AbortSignal, by name. @type {Record<string, (signal: AbortSignal) => Promise<unknown>>} */
const STOPPED = {
  'load() with an address': (signal) => load(pathToFileURL(`${GOLDEN}fvsbn-tiny.gguf`), { signal }),
  'load() of bytes': (signal) => load(toy, { signal }),
  'a picture': (signal) => pictures.generate({ seed: 1, signal }).drawTo(canvas()),
  'a picture, read step by step': async (signal) => {
    for await (const step of pictures.generate({ seed: 1, signal })) void step;
  },
  'pictures()': (signal) => pictures.generate({ seed: 1 }).pictures({ signal }),
  'a text': (signal) => texts.generate('a', { maxTokens: 500, signal }).text(),
  'a score': (signal) => texts.score('a'.repeat(500), { signal }),
  'a translation': (signal) => translations.translate([1, 2], { maxTokens: 40, signal }).text(),
  'a sound': (signal) => sounds.generate({ seconds: 0.5, seed: 1, signal }).samples(),
  'samples()': (signal) => sounds.generate({ seconds: 0.5, seed: 1 }).samples({ signal }),
  'pictures of a latent': (signal) => latents.generate({ samples: 8, seed: 1, signal }).pictures(),
};

for (const [name, call] of Object.entries(STOPPED)) {
  test(`${name}: the caller gets the signal's reason, of any type`, async () => {
    for (const reason of [null, 0, '', false, own, 'enough']) {
      for (const wait of [undefined, 0, 4]) {
        const stopper = new AbortController();
        if (wait === undefined) stopper.abort(reason);
        const asked = (async () => call(stopper.signal))().then(
          () => (wait === undefined ? 'kept' : [reason]),
          (thrown) => [thrown],
        );
        if (wait !== undefined) setTimeout(() => stopper.abort(reason), wait);
        assert.deepEqual(await asked, [reason], `${reason} ${wait}`);
      }
    }
  });
}

test('an error in the onProgress callback of one acquire() call reaches only the caller of this call', async () => {
  const file = pathToFileURL(`${GOLDEN}fvsbn-tiny.gguf`);
  for (const fail of Object.values(WAYS)) {
    const [one, other] = await Promise.allSettled([acquire(file, { onProgress: fail }), acquire(file)]);
    assert.equal(one.status === 'rejected' && one.reason, own);
    assert.equal(other.status, 'fulfilled');
    if (other.status === 'fulfilled') {
      other.value.discard();
      other.value.model.close();
    }
    await sleep(20);
  }
});

/** Callbacks that must return their result synchronously. @type {Record<string, (answer: () => any) => Promise<unknown>>} */
const ASKED = {
  colours: (answer) => picture({ colours: answer }),
  'what colours gives': (answer) => picture({ colours: () => answer }),
  weights: (answer) => translations.translate([1, 2], { maxTokens: 4 }).drawTo(canvas(), { weights: answer }),
};

for (const [name, call] of Object.entries(ASKED))
  test(`${name}: an error reaches the caller; a promise, or a value of another type, is refused`, () => answersAtOnce(call));

test('drawTo() checks its arguments, and rejects options that belong to other kinds of models', async () => {
  for (const options of [
    { onPaint: 5 },
    { colours: 'x' },
    { weights: {} },
    { gap: -1 },
    { gap: NaN },
    { pace: 'slow' },
    { from: null },
    { to: Infinity },
    { later: 'no' },
    { calm: 0 },
    { shade: 1 },
    { caret: 'x' },
    { mirror: 5 },
    { mirror: 'div' },
    { samples: 4 },
    { signal: {} },
  ])
    await assert.rejects(picture(options), isError('argument'), JSON.stringify(options));
});

test('chunks of a stream that are not bytes are refused', async () => {
  for (const chunk of ['GGUF', 5, null, '', [1, 2], {}, new ArrayBuffer(8), new Uint16Array(8)]) {
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(chunk);
        controller.close();
      },
    });
    await assert.rejects(load(/** @type {any} */ (stream)), isError('argument', /must be Uint8Arrays/));
  }
});
