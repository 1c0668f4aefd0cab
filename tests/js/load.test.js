// SPDX-License-Identifier: MIT
// @ts-check

/** Tests load(): every source of a file's bytes, progress, integrity, and every way in which loading can fail. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { generationOrder } from '../../web/lib/media/codec.js';
import { Core } from '../../web/lib/engine/core.js';
import { describe, fittingOf } from '../../web/lib/model/describe.js';
import { NextPixelError, cache, supported } from '../../web/lib/index.js';
import { looksLike } from '../../web/lib/gguf/sniff.js';
import { EVERY, longer } from '../more.js';
import { GOLDEN, ROOT, isError, load, sleep, wasmBytes, wasmModule } from './helpers.js';
import { UNREACHABLE, constant, patch, wasmUrl } from './patch.js';
import { toyModel } from './toy.js';

const toy = toyModel({ classes: ['cat', 'dog'] });
const digest = `sha256-${createHash('sha256').update(toy).digest('base64')}`;

/** @type {string} */
let folder;
/** @type {string} */
let path;
/** @type {import('node:http').Server} */
let server;
/** @type {string} */
let origin;
/** The file that the server sends. Only its first bytes matter. @type {Uint8Array} */
let damaged;
/** The number of requests whose response is still being sent. */
let answering = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  path = join(folder, 'toy model.gguf');
  await writeFile(path, toy);
  server = createServer((request, response) => {
    answering++;
    response.on('close', () => answering--);
    switch (request.url) {
      case '/toy.gguf':
        response.setHeader('Content-Length', toy.length);
        response.write(toy.subarray(0, 1000));
        setTimeout(() => response.end(toy.subarray(1000)), 20);
        break;
      case '/chunked.gguf': // no Content-Length
        response.write(toy.subarray(0, 1000));
        setTimeout(() => response.end(toy.subarray(1000)), 20);
        break;
      case '/page':
        response.setHeader('Content-Type', 'text/html');
        response.end('<!doctype html><title>Not found</title>');
        break;
      case '/endless': // a response that never ends
        response.write(`<!doctype html>${' '.repeat(1000)}`);
        break;
      case '/bytewise': // a file that never ends, and starts in small pieces
        response.setHeader('Content-Length', 2 ** 20);
        response.write('GG', () => setTimeout(() => response.write('GML'), 20));
        break;
      case '/damaged': // the bytes that the current test defines
        response.setHeader('Content-Length', toy.length);
        response.write(damaged);
        break;
      case '/huge':
        response.setHeader('Content-Length', 0xf0000001);
        response.write(toy);
        break;
      case '/broken':
        response.setHeader('Content-Length', toy.length);
        response.write(toy.subarray(0, 1000), () => response.destroy());
        break;
      case '/stalled':
        response.setHeader('Content-Length', toy.length);
        response.write(toy.subarray(0, 1000));
        break;
      case '/nextpixel.wasm': // with a wrong type
        response.setHeader('Content-Type', 'text/plain');
        response.end(wasmBytes);
        break;
      case '/streamed.wasm':
        response.setHeader('Content-Type', 'application/wasm');
        response.end(wasmBytes);
        break;
      default:
        response.statusCode = 404;
        response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
});

after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

test('supported is true in Node', () => assert.equal(supported, true));

test('every kind of source gives the same model', async () => {
  const sources = {
    path,
    'file: string': pathToFileURL(path).href,
    'file: URL': pathToFileURL(path),
    'http: string': `${origin}/toy.gguf`,
    'http: URL': new URL(`${origin}/chunked.gguf`),
    Response: new Response(new Blob([toy])),
    Uint8Array: toy,
    ArrayBuffer: toy.buffer,
    Buffer: Buffer.from(toy),
    Blob: new Blob([toy]),
    File: new File([toy], 'toy.gguf'),
    ReadableStream: new Blob([toy]).stream(),
    'data:': `data:;base64,${Buffer.from(toy).toString('base64')}`,
  };
  /** @type {any} */
  let first;
  for (const [name, source] of Object.entries(sources)) {
    const model = await load(source);
    first ??= model.info;
    assert.deepEqual(model.info, first, name);
    model.close();
  }
  assert.equal(toy.length, toy.buffer.byteLength, 'the caller keeps the given bytes');
});

test('info describes a picture model', async () => {
  const model = await load(toy);
  assert.deepEqual(model.info, {
    architecture: 'image-transformer',
    name: 'toy',
    kind: 'picture',
    verbs: ['complete', 'generate', 'attention', 'score'],
    warnings: [],
    width: 8,
    height: 8,
    channels: 1,
    levels: 16,
    palette: null,
    inputWidth: 0,
    inputHeight: 0,
    positions: 64,
    classes: ['cat', 'dog'],
    parameters: model.info.parameters,
    bytes: toy.length,
    blocks: 2,
    heads: 2,
    embedding: 16,
    window: 64,
    queryBlock: 0,
    memoryBlock: 0,
    blockRows: 0,
    blockCols: 0,
    flangeRows: 0,
    flangeCols: 0,
    lookAhead: false,
    card: { architecture: 'image-transformer', name: 'toy', license: 'of the card', dataset: 'noise' },
  });
  assert.equal(model.info.parameters, 16 * 16 + 2 * 16 + 2 * (4 * 256 + 2 * 512 + 32 + 16 + 64) + 16 * 16 + 16);
  assert.deepEqual(
    [...model.order],
    Array.from({ length: 64 }, (_, i) => i),
  );
  model.close();
});

test('info describes a model with a palette, blocks and an input', async () => {
  const blocks = { blockRows: 4, blockCols: 3, flangeRows: 2, flangeCols: 1 };
  const input = { inputWidth: 4, inputHeight: 2 };
  const model = await load(toyModel({ channels: 3, levels: 5, palette: true, ...blocks, ...input }));
  const { info } = model;
  assert.deepEqual(
    [info.channels, info.levels, info.positions, info.blockRows, info.blockCols, info.flangeRows, info.flangeCols],
    [3, 5, 64, 4, 3, 2, 1],
  );
  assert.deepEqual([info.inputWidth, info.inputHeight, info.queryBlock], [4, 2, 0]);
  assert.deepEqual(info.verbs, ['superResolve', 'attention', 'score']);
  assert.deepEqual([.../** @type {Uint8Array} */ (info.palette)], [0, 0, 0, 37, 91, 151, 74, 182, 46, 111, 17, 197, 148, 108, 92]);
  assert.deepEqual([...model.order.subarray(0, 14)], [0, 1, 2, 8, 9, 10, 16, 17, 18, 24, 25, 26, 3, 4]);
  model.close();
});

test('metadata of every type are read, including hostile keys and texts', async () => {
  const model = await load(
    toyModel({
      metadata: {
        'nextpixel.card.__proto__': ['string', 'x'],
        'nextpixel.card.quality': ['string', 'λ ünï 🎨'],
        'nextpixel.card.number': ['u32', 3],
        'nextpixel.card.list': ['array', 'string', ['a', 'b']],
        'nextpixel.card.empty': ['string', ''],
      },
    }),
  );
  const { card } = model.info;
  assert.equal(card.quality, 'λ ünï 🎨');
  assert.equal(card.empty, '');
  assert.equal(Object.getPrototypeOf(card), Object.prototype);
  assert.equal(Object.hasOwn(card, 'number') || Object.hasOwn(card, 'list'), false);
  assert.equal(Object.getOwnPropertyDescriptor(card, '__proto__')?.value, 'x');
  model.close();
});

test('load() reports its progress', async () => {
  for (const [source, total] of /** @type {const} */ ([
    [`${origin}/toy.gguf`, toy.length],
    [`${origin}/chunked.gguf`, undefined],
    [path, toy.length],
  ])) {
    /** @type {any[]} */
    const all = [];
    const model = await load(source, { onProgress: (progress) => all.push(progress) });
    const phases = all.map(({ phase }) => phase);
    assert.deepEqual([...new Set(phases)], ['connect', 'download', 'compile', 'ready']);
    const { head, ...last } = all.at(-1);
    assert.deepEqual(last, { phase: 'ready', loaded: toy.length, total });
    if (source === path)
      assert.equal(head, undefined); // the file at a path is read in one piece
    else
      assert.ok(
        head.length < 8192 && Buffer.from(toy).subarray(0, head.length).equals(head) && head.length >= Math.min(1024, toy.length),
        `${head.length} bytes`,
      );
    const seen = all.filter(({ phase }) => phase === 'download');
    assert.ok(seen.length >= (source === path ? 1 : 2), source);
    assert.equal(seen.at(-1).loaded, toy.length);
    assert.ok(seen.every((progress) => progress.total === total));
    assert.ok(seen.every((progress, i) => i === 0 || progress.loaded > seen[i - 1].loaded));
    model.close();
  }
});

test('the size of a Blob is known, and an error names a Blob that is invalid', async () => {
  /** @type {any[]} */
  const seen = [];
  (await load(new File([toy], 'mine.gguf'), { onProgress: (progress) => seen.push(progress) })).close();
  assert.ok(seen.filter(({ phase }) => phase === 'download').every(({ total }) => total === toy.length));
  await assert.rejects(load(new File(['<!doctype html>'], 'mine.gguf')), isError('format', /web page/));
  const stream = new Blob([toy]).stream();
  stream.getReader();
  await assert.rejects(load(stream), isError('argument', /ReadableStream is being read/));
});

test('an hf: address names a file on the Hub', async () => {
  const { fetch } = globalThis;
  /** @type {string[]} */
  const asked = [];
  globalThis.fetch = async (url) => {
    asked.push(String(url));
    return new Response(toy);
  };
  try {
    for (const source of [
      'hf:owner/name/file.gguf',
      'hf:owner/na-me.x@v1/folder/file.gguf',
      new URL('hf:owner/name/file.gguf'),
      'hf:owner/name/file#1.gguf',
      'https://huggingface.co/owner/name/blob/main/q4/file.gguf',
      'https://huggingface.co/owner/name/resolve/blob/file.gguf',
    ])
      (await load(source)).close();
    for (const source of ['hf:', 'hf:owner', 'hf:owner/name', 'hf:owner/name/']) {
      await assert.rejects(load(source), isError('argument', /hf:owner\/name\/file\.gguf/), source);
    }
  } finally {
    globalThis.fetch = fetch;
  }
  assert.deepEqual(asked, [
    'https://huggingface.co/owner/name/resolve/main/file.gguf',
    'https://huggingface.co/owner/na-me.x/resolve/v1/folder/file.gguf',
    'https://huggingface.co/owner/name/resolve/main/file.gguf',
    'https://huggingface.co/owner/name/resolve/main/file%231.gguf',
    'https://huggingface.co/owner/name/resolve/main/q4/file.gguf',
    'https://huggingface.co/owner/name/resolve/blob/file.gguf',
  ]);
});

test('without a cache, as in Node, cache.list() is empty and cache.delete() frees nothing', async () => {
  assert.deepEqual([await cache.list(), await cache.size(), await cache.delete(), await cache.persist()], [[], 0, false, false]);
});

test('an error thrown by onProgress reaches the caller', async () => {
  const mine = new Error('mine');
  await assert.rejects(
    load(`${origin}/toy.gguf`, {
      onProgress() {
        throw mine;
      },
    }),
    mine,
  );
});

test('a file that does not match its integrity digest is refused', async () => {
  const model = await load(path, { integrity: digest });
  model.close();
  const other = `sha256-${createHash('sha256').update('other').digest('base64')}`;
  await assert.rejects(load(path, { integrity: other }), isError('integrity', /sha256-.*sha256-/));
  await assert.rejects(load(path, { integrity: 'md5-x' }), isError('argument', /sha256/));
});

test('a signal can abort load() before and during loading, but not after it', async () => {
  const reason = new Error('enough');
  await assert.rejects(load(path, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(load(path, { signal: AbortSignal.abort(reason) }), reason);

  const during = new AbortController();
  const loading = load(`${origin}/stalled`, { signal: during.signal, onProgress: () => during.abort(reason) });
  await assert.rejects(loading, reason);
  await assert.rejects(load(`${origin}/stalled`, { signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' });
  const response = await fetch(`${origin}/stalled`);
  await assert.rejects(load(response, { signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' });

  const late = new AbortController();
  const model = await load(path, { signal: late.signal });
  late.abort();
  assert.ok((await model.score({ data: new Uint8Array(64), width: 8, height: 8 })).nats > 0, 'the loaded model outlives the signal');
  model.close();
});

test('the message about a very long address is short, and has the beginning of the address and the reason', async () => {
  const { message } = await load(`http://127.0.0.1:1/${'a'.repeat(1e6)}`, { cache: false }).then(
    () => assert.fail('loaded'),
    (error) => error,
  );
  assert.ok(
    message.length < 2000 && /^Cannot fetch http:\/\/127\.0\.0\.1:1\/aaa.*\(.*\)\. Check the address/s.test(message),
    message.slice(0, 200),
  );
});

test('network errors name the address', async () => {
  await assert.rejects(load(`${origin}/missing.gguf`), isError('network', /127\.0\.0\.1.*missing\.gguf.*404/));
  await assert.rejects(load(await fetch(`${origin}/missing.gguf`)), isError('network', /missing\.gguf.*404/));
  await assert.rejects(load('http://127.0.0.1:9/x.gguf'), isError('network', /127\.0\.0\.1:9/));
  await assert.rejects(load(`${origin}/broken`), isError('network', /broken/));
  await assert.rejects(load('/no/such/file.gguf'), isError('network', /no\/such\/file\.gguf/));
  await assert.rejects(load(folder), isError('network'));
});

test('sources that cannot be read are refused', async () => {
  for (const source of [undefined, null, 7, {}, []]) {
    await assert.rejects(load(/** @type {any} */ (source)), isError('argument', /address/));
  }
  const read = new Response(new Blob([toy]));
  await read.arrayBuffer();
  await assert.rejects(load(read), isError('argument', /fetch it again/));
  await assert.rejects(load('file://host/path'), isError('argument'));
});

test('an error names the apparent format of a wrong file', async () => {
  await assert.rejects(load(`${origin}/page`), isError('format', /web page/));
  await assert.rejects(load(new Uint8Array(0)), isError('format', /empty/));
  await assert.rejects(load(new TextEncoder().encode('{"a": 1}')), isError('format', /JSON/));
  const status = await load(wasmBytes).catch((error) => error.status);
  assert.equal(status, -2);
  /** @type {[string | number[], RegExp][]} */
  const looks = [
    ['version https://git-lfs.github.com/spec/v1', /Git LFS/],
    [[0x89, 0x50, 0x4e, 0x47], /PNG/],
    ['PK\x03\x04', /zip/],
    ['  <html>', /web page/],
    ['<?xml version="1.0"?>', /XML/],
    [[9, 0, 0, 0, 0, 0, 0, 0, 123, 34], /safetensors/],
    ['hello', /text/],
    [[0, 1, 2, 250], /^$/],
    ['GGUF\0\0\0\x03', /big-endian/],
    ['GGUF\x03\0\0\0', /^$/],
    ['GG', /text/],
  ];
  for (const [bytes, expected] of looks) {
    assert.match(looksLike(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : Uint8Array.from(bytes)), expected);
  }
});

/**
 * Checks that a file is refused before its download has finished, and that the connection is then closed.
 *
 * @param {Promise<unknown>} loading
 * @param {(error: unknown) => boolean} expected
 */
async function assertRefused(loading, expected) {
  await assert.rejects(loading, expected);
  for (let i = 0; i < 100 && answering > 0; i++) await sleep(10);
  assert.equal(answering, 0, 'the connection must be closed');
}

test('a download that is not a weight file is refused as soon as its first bytes show it', { timeout: 20000 }, async () => {
  await assertRefused(load(`${origin}/endless`), isError('format', /not a GGUF file.*web page/));
  await assertRefused(load(`${origin}/bytewise`), isError('format', /not a GGUF file/));
  await assertRefused(load(await fetch(`${origin}/endless`)), isError('format', /web page/));
  /** @type {[number, number, string, RegExp][]} offset of a header byte, its new value, the expected code and the expected message */
  const cases = [
    [0, 0x67, 'format', /not a GGUF file/],
    [4, 4, 'unsupported', /version is neither 2 nor 3/],
    [5, 1, 'unsupported', /version is neither 2 nor 3/],
    [9, 9, 'limit', /more than 2048 tensors/],
    [15, 0x80, 'limit', /more than 2048 tensors/],
    [17, 5, 'limit', /more than 1024 metadata keys/],
    [23, 0x80, 'limit', /more than 1024 metadata keys/],
  ];
  for (const [at, value, code, message] of cases) {
    const whole = toy.slice();
    whole[at] = value;
    damaged = whole.subarray(0, 100);
    const expected = isError(/** @type {any} */ (code), message);
    await assertRefused(load(`${origin}/damaged`), expected);
    const error = await load(whole).catch((refused) => refused);
    await assertRefused(load(`${origin}/damaged`), (early) => {
      assert.ok(early instanceof NextPixelError && expected(error));
      assert.deepEqual(
        [early.code, early.status, early.message],
        [error.code, error.status, error.message],
        'the same error as from the engine',
      );
      return true;
    });
  }
  damaged = toy.slice(0, 100);
  damaged.set([0, 0, 0, 3], 4);
  await assertRefused(load(`${origin}/damaged`), isError('unsupported', /big-endian/));
  /** @type {any[]} */
  const seen = [];
  await assert.rejects(load(`${origin}/page`, { onProgress: ({ phase }) => seen.push(phase) }), isError('format'));
  assert.deepEqual(seen, ['connect'], 'no progress');
});

test('a download beyond 3.75 GiB is refused before it is read', { timeout: 20000 }, async () => {
  await assertRefused(load(`${origin}/huge`), isError('limit', /larger than 3.75 GiB/));
  await assertRefused(load(await fetch(`${origin}/huge`)), isError('limit', /larger than 3.75 GiB/));
  // The next download declares no length and never ends. The library reads it only until the header turns out to be damaged.
  const piece = new Uint8Array(2 ** 26);
  piece.set(toy.subarray(0, 100));
  let sent = 0;
  let cancelled = false;
  const body = new ReadableStream(
    {
      pull(controller) {
        sent++;
        controller.enqueue(piece);
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  await assert.rejects(load(new Response(body)), isError('limit', /key is empty or too long/));
  assert.deepEqual([sent, cancelled], [1, true]);
});

test('a truncated file of any length gives a format error', async () => {
  for (const length of [1, 4, 8, 23, 24, 100, 500, 1000, toy.length - 4000, toy.length - 33]) {
    await assert.rejects(load(toy.subarray(0, length)), isError('format'), `${length} bytes`);
  }
});

const tiny = { width: 2, height: 2, channels: 3, blocks: 1, heads: 1, embedding: 4, feedForward: 4 };
const damageable = {
  'rgb-two-levels': await readFile(`${GOLDEN}rgb-two-levels.gguf`),
  'a palette, blocks and an input': toyModel({
    ...tiny,
    levels: 2,
    palette: true,
    blockRows: 1,
    blockCols: 2,
    inputWidth: 1,
    preNorm: true,
  }),
  'a mixture': toyModel({ ...tiny, levels: 256, output: 'dmol', mixtures: 1 }),
};
/**
 * Masks of the bits to flip in one byte of a file. The test damages every second byte, and uses the masks in rotation. ./build.sh
 * test-sweep damages every byte with each mask.
 */
const BITS = [0x01, 0x80, 0xff];
for (const [name, file] of Object.entries(damageable)) {
  longer(`a damaged file gives an error or a model, never a trap: ${name}`, () => {
    const results = { opened: 0, refused: 0 };
    for (let at = 0; at < file.length; at += EVERY ? 1 : 2) {
      for (const bits of EVERY ? BITS : [BITS[at % BITS.length]]) {
        const damaged = Uint8Array.from(file);
        damaged[at] ^= bits;
        try {
          const core = new Core(wasmModule, damaged);
          const info = describe(fittingOf(core));
          const { width, height } = info;
          assert.ok(width <= 256 && height <= 256);
          const order = generationOrder(info);
          assert.equal(order.length, core.part.length);
          assert.ok(order.every((place) => place < width * height * 3));
          results.opened++;
        } catch (error) {
          assert.ok(
            error instanceof NextPixelError && ['format', 'unsupported', 'limit', 'numeric'].includes(error.code),
            `byte ${at} ^ ${bits}: ${error}`,
          );
          results.refused++;
        }
      }
    }
    assert.ok(results.opened > 30 && results.refused > 300, JSON.stringify(results));
  });
}

test('file versions and features that this library does not support give an error', async () => {
  const other = /** @param {Record<string, any[]>} metadata */ (metadata) => load(toyModel({ metadata }));
  await assert.rejects(other({ 'general.architecture': ['string', 'mamba'] }), isError('unsupported', /mamba/));
  await assert.rejects(other({ 'image-transformer.output.type': ['string', 'diffusion'] }), isError('unsupported', /output\.type/));
  const version4 = toy.slice();
  version4[4] = 4;
  await assert.rejects(load(version4), isError('unsupported'));
  await assert.rejects(load(toyModel({ width: 257 })), isError('limit'));
  await assert.rejects(load(toyModel({ outputScale: NaN })), isError('numeric', /output\.weight/));
});

test('a wasm file that is missing, has another type or has another version gives an error', async () => {
  const at = /** @param {string} url */ (url) => load(toy, { wasmUrl: url });
  await assert.rejects(at(`${origin}/missing.wasm`), isError('network', /missing\.wasm.*404/));
  await assert.rejects(at('/no/such.wasm'), isError('network'));
  await assert.rejects(at(`${origin}/page`), isError('wasm', /page/));
  await assert.rejects(at(wasmUrl(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))), isError('wasm', /not nextpixel/));
  const abi = patch(wasmBytes, { functions: { nx_abi_version: constant(41) } });
  await assert.rejects(at(wasmUrl(abi)), isError('wasm', /version 41, .* needs \d+:/));
  const trapping = patch(wasmBytes, { functions: { nx_model_open: UNREACHABLE } });
  await assert.rejects(at(wasmUrl(trapping)), isError('trap', /nx_model_open/));
  const small = patch(wasmBytes, { maxPages: 16 });
  await assert.rejects(load(toyModel({ embedding: 256, feedForward: 512 }), { wasmUrl: wasmUrl(small) }), isError('memory'));
  for (const url of ['nextpixel.wasm', 'streamed.wasm']) (await at(`${origin}/${url}`)).close();
  (await load(toy, { wasmUrl: join(ROOT, 'web/dist/nextpixel.wasm') })).close();
});

test('a process that was started with flags that workers do not accept ends although a model is still open', () => {
  const script = `
    import { load } from ${JSON.stringify(pathToFileURL(`${ROOT}web/lib/index.js`).href)};
    const model = await load(${JSON.stringify(path)});
    const score = await model.score({ data: new Uint8Array(64), width: 8, height: 8 });
    for await (const step of model.generate()) break;
    console.log(score.nats > 0);`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 20000,
    encoding: 'utf8',
  });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'true\n', stderr: '' });
});

test('an error in onProgress reaches its caller, and no other caller that waits for the same file', async () => {
  const { acquire } = await import('../../web/lib/index.js');
  const mine = new Error('mine');
  let calls = 0;
  const first = acquire(`${origin}/toy.gguf`, {
    onProgress() {
      calls++;
      throw mine;
    },
  });
  const second = acquire(`${origin}/toy.gguf`);
  await assert.rejects(first, (error) => error === mine);
  const hold = await second;
  assert.ok(hold.model.info.parameters > 0);
  hold.release();
  assert.equal(calls, 1);
  await assert.rejects(
    load(path, {
      onProgress() {
        throw mine;
      },
    }),
    (error) => error === mine,
  );
  // An asynchronous callback fails later, with a rejected promise, which the library must handle.
  const onProgress = async () => {
    throw mine;
  };
  await assert.rejects(load(path, { onProgress }), (error) => error === mine);
});
