// SPDX-License-Identifier: MIT
// @ts-check

/** Tests arrays, maps and pictures that come from another realm, such as an iframe or a test runner, and invalid arguments. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';

import { acquire, tokenizer } from '../../web/lib/index.js';
import { singles } from '../../web/tools/single.js';
import { DIGITS, GOLDEN, ROOT, isError, load } from './helpers.js';
import { toyText } from './toy-text.js';

/** Returns the value of code that runs in another realm. @param {string} code @param {object} [given] */
const foreign = (code, given = {}) => runInNewContext(code, given);

test('weight files in arrays of another realm are read', async () => {
  const bytes = toyText();
  const array = foreign('Uint8Array.from(list)', { list: [...bytes] });
  assert.equal(array instanceof Uint8Array, false);
  for (const source of [array, array.buffer]) {
    const model = await load(source);
    assert.equal(model.info.name, 'toy text');
    assert.ok((await model.score(foreign('Uint32Array.of(1, 5, 6)'))).nats > 0);
    assert.ok((await model.score(foreign('[1, 5, 6]'))).nats > 0);
    const biased = model.generate([1], { maxTokens: 3, logitBias: foreign('new Map([[5, 1e9]])') });
    await biased.text();
    assert.deepEqual([...biased.ids], [1, 5, 5, 5]);
    model.close();
    assert.equal((await tokenizer(source)).find('ab'), 263);
  }
});

test('pictures in arrays of another realm are read', async () => {
  const model = await load(DIGITS);
  const data = foreign('new Uint8ClampedArray(28 * 28).fill(7)');
  for (const one of [data, foreign('new Uint8Array(28 * 28).fill(7)'), foreign('Array(28 * 28).fill(7)')]) {
    const { nats } = await model.score({ data: one, width: 28, height: 28 });
    assert.ok(nats > 0);
  }
  model.close();
});

test('Blobs with an unrecognisable class, or without a method that returns their bytes, are read', async () => {
  const bytes = toyText();
  class Nameless {
    // a Blob as in happy-dom
    size = bytes.length;
    slice = (/** @type {number} */ from, /** @type {number} */ to) => new Blob([bytes]).slice(from, to);
    stream = () => new Blob([bytes]).stream();
  }
  class Mute {
    // a Blob as in jsdom
    get [Symbol.toStringTag]() {
      return 'Blob';
    }
    constructor(from = 0, to = bytes.length) {
      this.part = bytes.slice(from, to);
    }
    size = bytes.length;
    slice = (/** @type {number} */ from, /** @type {number} */ to) => new Mute(from, to);
  }
  const { FileReader } = globalThis;
  await assert.rejects(load(/** @type {any} */ (new Mute())), isError('argument', /neither stream\(\) nor arrayBuffer\(\)/));
  // @ts-ignore
  globalThis.FileReader = class {
    onload = () => {};
    readAsArrayBuffer = (/** @type {Mute} */ { part }) => {
      Object.assign(this, { result: foreign('Uint8Array.from(list).buffer', { list: [...part] }) });
      queueMicrotask(() => this.onload());
    };
  };
  try {
    for (const blob of /** @type {any[]} */ ([new Nameless(), new Mute()])) {
      const model = await load(blob);
      assert.equal(model.info.name, 'toy text');
      model.close();
      assert.equal((await tokenizer(blob)).find('ab'), 263);
    }
  } finally {
    globalThis.FileReader = FileReader;
  }
});

test('the library itself runs in another realm, as in Jest, without TextDecoder, Response and streams', async () => {
  const script = /** @type {string} */ ((await singles()).get('nextpixel.cjs'));
  const bytes = toyText();
  const nodeRequire = createRequire(import.meta.url);
  const context = {
    module: { exports: {} },
    require: nodeRequire,
    process,
    URL,
    Event,
    AbortController,
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    crypto,
    performance,
    bytes,
    __filename: `${ROOT}web/single/nextpixel.cjs`,
  };
  const said = await runInNewContext(
    `(async () => {
    const exports = module.exports;
    ${script}
    const { load, NextPixelError } = module.exports;
    const model = await load(Uint8Array.from(bytes));
    const run = model.generate('ab', { maxTokens: 3, seed: 1 });
    const text = await run.text();
    model.close();
    const error = await load('/none.gguf').catch((error) => error);
    return [typeof text, run.ids instanceof Uint32Array || Array.isArray(run.ids), error instanceof NextPixelError && error.code];
  })()`,
    context,
  );
  assert.deepEqual([...said], ['string', true, 'network']);
});

test('where no worker can be started, as in a service worker, the error says so', async () => {
  const script = /** @type {string} */ ((await singles()).get('nextpixel.cjs'));
  const context = {
    module: { exports: {} },
    require: createRequire(import.meta.url),
    URL,
    Event,
    AbortController,
    setTimeout,
    clearTimeout,
    crypto,
    performance,
    fetch: () => new Promise(() => {}),
    bytes: toyText(),
    __filename: `${ROOT}web/single/nextpixel.cjs`,
  };
  for (const given of ['Uint8Array.from(bytes)', 'Uint8Array.from(bytes).buffer', "'/somewhere.gguf'"]) {
    const said = await runInNewContext(
      `(async () => { const exports = module.exports; ${script}
      return module.exports.load(${given}).catch((error) => error.code + ' ' + error.message); })()`,
      context,
    );
    assert.match(String(said), /^unsupported A service or shared worker has no workers: load the model in a page$/);
  }
});

test('in an Electron window with Node, addresses are relative to the page; without a page, the library reports the error', async () => {
  const { versions } = process;
  const given = (/** @type {string} */ baseURI) => {
    Object.defineProperty(process, 'versions', { value: { ...versions, electron: '30.0.0' }, configurable: true });
    // @ts-ignore
    globalThis.document = { baseURI };
  };
  try {
    given(pathToFileURL(GOLDEN).href);
    for (const address of [
      'stories260K.gguf',
      './stories260K.gguf',
      pathToFileURL(`${GOLDEN}stories260K.gguf`).href,
      `${GOLDEN}stories260K.gguf`,
    ]) {
      assert.ok((await tokenizer(address)).size > 100, address);
    }
    await assert.rejects(tokenizer('none.gguf'), isError('network', /none\.gguf/));
    given('about:blank');
    for (const address of ['stories260K.gguf', '../a.gguf'])
      await assert.rejects(tokenizer(address), isError('argument', /is relative, but this page has no address/));
  } finally {
    Object.defineProperty(process, 'versions', { value: versions, configurable: true });
    // @ts-ignore
    delete globalThis.document;
  }
});

test('invalid addresses, folders and devices are refused', async () => {
  for (const address of ['http://[', 'https://', 'http://a b/']) await assert.rejects(load(address), isError('network', /Cannot fetch/));
  for (const path of [tmpdir(), '/dev/null', '/']) await assert.rejects(load(path), isError('network', /it is a (folder|device)/));
  for (const source of /** @type {any[]} */ ([Object.create(null), Symbol('x'), () => {}, null, 7n, [], new Date()])) {
    await assert.rejects(load(source), isError('argument', /load\(\) takes/));
    await assert.rejects(tokenizer(source), isError('argument', /tokenizer\(\) takes/));
  }
});

test('invalid options and lists are refused', async () => {
  const stories = `${GOLDEN}stories260K.gguf`;
  const own = await tokenizer(new Uint8Array(await readFile(stories)));
  for (const options of /** @type {any[]} */ ([null, 7, 'special', Symbol('x')])) {
    await assert.rejects(tokenizer(stories, options), isError('argument', /options must be an object/));
    assert.throws(() => own.encode('a', options), isError('argument', /options must be an object/));
    assert.throws(() => own.decode([1], options), isError('argument', /options must be an object/));
  }
  await assert.rejects(tokenizer(stories, /** @type {any} */ ({ signal: {} })), isError('argument', /signal must be an AbortSignal/));
  for (const use of [() => own.find(/** @type {any} */ (7)), () => own.encode(/** @type {any} */ (Symbol('x')))])
    assert.throws(use, isError('argument', /text must be a string, not (7|Symbol)/));
  assert.throws(() => own.writer(/** @type {any} */ (null)), isError('argument', /options must be an object/));
  for (const odd of /** @type {any[]} */ ([Object.create(null), [Symbol('x')]])) {
    await assert.rejects(load(stories, { integrity: odd }), isError('argument', /integrity must be/));
    await assert.rejects(acquire(odd), isError('argument', /acquire\(\) takes the address of a weight file, not an object/));
  }
  await assert.rejects(acquire('http://['), isError('network'));
  for (const list of /** @type {any[]} */ ([undefined, null, 7, 'abc', {}, Symbol('x')]))
    assert.throws(() => own.decode(list), isError('argument', /decode\(\) takes a list/));
  for (const id of /** @type {any[]} */ ([Symbol('x'), Object.create(null), null, 1.5, () => {}])) {
    for (const use of [() => own.decode([id]), () => own.bytes(id), () => own.name(id), () => own.kind(id)])
      assert.throws(use, isError('argument', /is not a token/));
  }
  const model = await load(stories);
  const saved = model.generate('Once', { maxTokens: 2, seed: 3 }).save();
  assert.throws(
    () => model.resume({ ...saved, options: { signal: /** @type {any} */ (Symbol('x')) } }),
    isError('argument', /signal must be an AbortSignal/),
  );
  for (const changed of /** @type {any[]} */ ([
    { seed: 'x' },
    { seed: 7.5 },
    { seed: Object.create(null) },
    { seed: [Symbol('x')] },
    { model: Object.create(null) },
    { prompt: -1 },
    { prompt: 1.5 },
    { prompt: 'x' },
    { ids: 'abc' },
    { model: Symbol('x') },
    { options: null },
    { options: 7 },
    { version: 2 },
  ])) {
    assert.throws(() => model.resume({ ...saved, ...changed }), isError('state'), JSON.stringify(Object.keys(changed)));
  }
  for (const nothing of /** @type {any[]} */ ([null, undefined, 7, 'x', []])) assert.throws(() => model.resume(nothing), isError('state'));
  const round = JSON.parse(
    JSON.stringify(
      model
        .generate('Once', {
          logitBias: new Map(
            /** @type {[string | number, number][]} */ ([
              [5, -Infinity],
              [' the', 2],
            ]),
          ),
          stop: ['x'],
          seed: 5,
          maxTokens: 3,
        })
        .save(),
    ),
  );
  assert.ok(model.resume(round, { maxTokens: 3 }));
  model.close();
});
