// SPDX-License-Identifier: MIT
// @ts-check

/** Tests faults from outside the library: servers that stall or close the connection early, and arguments of the wrong type. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { load as bare } from '../../web/lib/index.js';
import { collect, isError, load } from './helpers.js';
import { toyText } from './toy-text.js';
import { toyModel } from './toy.js';

const toy = toyModel({ classes: ['cat', 'dog'] });
const pixels = { data: new Uint8Array(64), width: 8, height: 8 };

/** @type {import('node:http').Server} */
let server;
let origin = '';
/** The Range headers of the requests for a file, in order. @type {(string | undefined)[]} */
let asked = [];

/**
 * The server fails after the first 1000 bytes of its first response. The path selects whether the server closes the connection or
 * stalls, and whether the server supports range requests.
 *
 * @type {Record<string, { headers?: Record<string, string>, end: 'break' | 'stall', rest?: (start: number, response: import('node:http').ServerResponse) => void }>}
 */
const PATHS = {
  '/breaks': { headers: { ETag: '"1"' }, end: 'break', rest: part() },
  '/stalls': { headers: { 'Last-Modified': 'Wed, 01 Jan 2025 00:00:00 GMT' }, end: 'stall', rest: part() },
  '/changes': { headers: { ETag: '"1"' }, end: 'break', rest: part({ ETag: '"2"' }) },
  '/whole': { headers: { ETag: '"1"' }, end: 'break', rest: (_, response) => response.end(toy) },
  '/shifted': { headers: { ETag: '"1"' }, end: 'break', rest: (start, response) => part()(start - 1, response) },
  '/unmarked': { end: 'stall', rest: part() },
};

/**
 * Sends the bytes of the requested range, or all bytes if no range is requested.
 * @param {Record<string, string>} [headers]
 * @returns {(start: number, response: import('node:http').ServerResponse) => void}
 */
function part(headers = {}) {
  return (start, response) => {
    const { headers: own } = PATHS[/** @type {any} */ (response).req.url];
    response.writeHead(206, {
      ...own,
      ...headers,
      'Content-Range': `bytes ${start}-${toy.length - 1}/${toy.length}`,
      'Content-Length': toy.length - start,
    });
    response.end(toy.subarray(start));
  };
}

before(async () => {
  server = createServer((request, response) => {
    if (request.url === '/silent') return; // sends no headers
    const [, kind] = /^\/stalls\.(wasm|bin)$/.exec(request.url ?? '') ?? [];
    if (kind) {
      response.writeHead(200, {
        'Content-Type': kind === 'wasm' ? 'application/wasm' : 'application/octet-stream',
        'Content-Length': 1000,
      });
      return void response.write(Buffer.from('\0asm\x01\0\0\0'));
    }
    const { headers, end, rest } = PATHS[request.url ?? ''];
    asked.push(request.headers.range);
    const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    if (start !== undefined) return rest?.(Number(start), response);
    response.writeHead(200, { ...headers, 'Content-Length': toy.length });
    response.write(toy.subarray(0, 1000), () => {
      if (end === 'break') setTimeout(() => response.destroy(), 30);
    });
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

for (const path of ['/breaks', '/stalls']) {
  test(`a download that ${path.slice(1)} resumes where it stopped`, { timeout: 20000 }, async () => {
    asked = [];
    /** @type {number[]} */
    const seen = [];
    const model = await load(origin + path, {
      patience: 200,
      onProgress: ({ phase, loaded }) => void (phase === 'download' && seen.push(loaded)),
    });
    assert.deepEqual(asked, [undefined, 'bytes=1000-']);
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    );
    assert.equal(seen.at(-1), toy.length);
    assert.equal((await collect(model.generate({ seed: 1 }))).values[0].length, 64);
    model.close();
  });
}

for (const [path, ranges] of /** @type {[string, number][]} */ ([
  ['/changes', 1],
  ['/whole', 1],
  ['/shifted', 1],
  ['/unmarked', 0],
])) {
  test(`the beginning of one file is never joined with the rest of another: ${path}`, { timeout: 20000 }, async () => {
    asked = [];
    await assert.rejects(load(origin + path, { patience: 200 }), isError('network', /was interrupted/));
    assert.equal(asked.length, 1 + ranges);
  });
}

test('a request to a server that never answers is abandoned', { timeout: 10000 }, async () => {
  await assert.rejects(load(`${origin}/silent`, { patience: 200 }), isError('network', /nothing came for 0\.2 seconds/));
});

test('a wasm download that never ends is abandoned, and requested again the next time', { timeout: 10000 }, async () => {
  for (const url of [`${origin}/stalls.wasm`, `${origin}/stalls.bin`, `${origin}/stalls.wasm`]) {
    await assert.rejects(load(toy, { wasmUrl: url, patience: 200 }), isError('network', /was interrupted .*nothing came/), url);
  }
});

test('arguments of the wrong type give errors of the library, and the message names the argument', async () => {
  /** @param {Promise<unknown> | (() => unknown)} work @param {RegExp} message */
  const refuses = (work, message) => assert.rejects(async () => (typeof work === 'function' ? work() : work), isError('argument', message));
  const any = /** @type {any} */ (bare);
  for (const options of [null, 7, 'x']) await refuses(any(toy, options), /options must be an object/);
  for (const options of [[[1, 2]], [], new Uint8Array(3), new Map([['seed', 1]])])
    await refuses(any(toy, options), /options must be an object, not a list/);
  await refuses(any(toy, { signal: {} }), /signal must be an AbortSignal/);
  await refuses(any(toy, { onProgress: 'x' }), /onProgress must be a function/);
  await refuses(any(toy, { patience: 0 }), /patience must be/);
  const gone = toy.slice().buffer;
  structuredClone(gone, { transfer: [gone] });
  await refuses(load(gone), /ArrayBuffer is detached/);
  const locked = new Response(toy);
  locked.body?.getReader();
  await refuses(load(locked), /Response was read already, or is being read/);

  const model = /** @type {any} */ (await load(toy));
  await refuses(() => model.generate(null), /options must be an object, not null/);
  for (const options of [[[1, 2]], [new Uint8Array(2)], new Set([1])]) await refuses(() => model.generate(options), /not a list/);
  await refuses(() => model.complete(pixels, null), /options must be an object/);
  await refuses(() => model.generate({ signal: 'stop' }), /signal must be an AbortSignal, not "stop"/);
  await refuses(() => model.score(pixels, null), /options must be/);
  await refuses(() => model.attention(pixels), /row must be a whole number/);
  await refuses(() => model.generate().drawTo({}, null), /options must be/);
  await refuses(() => new Proxy(model, {}).generate(), /behind a proxy/);
  const thrower = new Proxy(pixels, {
    get() {
      throw new TypeError('Illegal invocation');
    },
  });
  await refuses(() => model.complete(thrower), /image cannot be read .*not a proxy/);
  await refuses(
    () =>
      model.generate().drawTo({
        getContext() {
          throw new TypeError('Illegal invocation');
        },
      }),
    /a canvas with a 2D context, not a proxy/,
  );
  assert.equal(
    (await collect(model.complete(new Proxy(pixels, {}), new Proxy({ seed: 1 }, {})))).values[0].length,
    32,
    'proxies of plain objects are accepted',
  );
  model.close();
});

test("an error thrown by the caller's getter, proxy or iterator reaches the caller unchanged", async () => {
  const own = new RangeError('mine');
  const thrower = () => {
    throw own;
  };
  const getter = (/** @type {string | number} */ name, /** @type {object} */ on = {}) =>
    /** @type {any} */ (Object.defineProperty(on, name, { enumerable: true, get: thrower }));
  const any = /** @type {any} */ (bare);
  const isOwn = (/** @type {unknown} */ error) => error === own;
  for (const options of [getter('signal'), getter('workers'), new Proxy({}, { get: thrower }), { onProgress: thrower }])
    await assert.rejects(any(toy, options), isOwn);
  const model = /** @type {any} */ (await load(toy));
  for (const options of [getter('seed'), getter('samples'), new Proxy({}, { get: thrower })])
    assert.throws(() => model.generate(options), isOwn);
  model.close();
  const texts = /** @type {any} */ (await load(toyText()));
  for (const prompt of [getter(0, [1, 2]), new Proxy([1], { get: thrower })])
    await assert.rejects(async () => texts.generate(prompt).text(), isOwn);
  texts.close();
});
