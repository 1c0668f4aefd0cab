// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests large files, which are passed to the engine while they are downloaded. The model must be the same as from a complete file, and
 * loading must take less memory. Also tests every way in which such a load can fail.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Core } from '../../web/lib/engine/core.js';
import { Jobs } from '../../web/lib/engine/jobs.js';
import { TENSOR_TYPES } from '../../web/lib/gguf/tensor-types.js';
import { EVERY, longer, more } from '../more.js';
import { memoryOf } from './core.js';
import { isError, load, wasmModule } from './helpers.js';
import { toyText } from './toy-text.js';
import { F32, readGGUF, writeGGUF } from './gguf.js';
import { toyModel } from './toy.js';

/** A file of 36 MB. (The engine opens a file below 32 MB only when all of it has been read.) */
const large = toyText({ d: 512, inner: 5120 });
assert.ok(large.length > 2 ** 25);
const picture = toyModel({ embedding: 1024, feedForward: 4096, blocks: 1, heads: 1 });
assert.ok(picture.length > 2 ** 25);

/** @type {import('node:http').Server} */
let server;
/** @type {string} */
let origin;
/** @type {string} */
let folder;
/** The bytes that the server sends. @type {Uint8Array} */
let sent = large;
/** The number of bytes after which the first response stops. */
let most = Infinity;
let requests = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  server = createServer((request, response) => {
    requests++;
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from ? 206 : 200, {
      'Content-Length': sent.length - from,
      ETag: '"one"',
      ...(from && { 'Content-Range': `bytes ${from}-${sent.length - 1}/${sent.length}` }),
    });
    const end = from ? Infinity : most;
    response.write(sent.subarray(from, end), () => {
      if (end < sent.length) response.destroy();
    });
    if (end >= sent.length) response.end();
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
});

after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** @param {import('../../web/lib/model/of-kind.js').AnyModel} model */
async function tale(model) {
  const run = model.generate('ab', { seed: 3, maxTokens: 12, temperature: 1 });
  const steps = [];
  for await (const { token, nats } of run) steps.push([token, nats]);
  model.close();
  return steps;
}

test('an address, a path, a Blob and a Response give the same model as bytes, and report progress', { timeout: 120000 }, async () => {
  const whole = await load(large);
  const { info } = whole;
  const expected = await tale(whole);
  assert.equal(expected.length, 12);
  const path = join(folder, 'large.gguf');
  await writeFile(path, large);
  for (const source of [`${origin}/large.gguf`, path, new Blob([large]), await fetch(`${origin}/large.gguf`)]) {
    /** @type {import('../../web/lib/index.js').Progress[]} */
    const seen = [];
    const model = await load(source, { onProgress: (news) => void seen.push(news) });
    assert.deepEqual(model.info, info);
    assert.equal(seen.at(-1)?.phase, 'ready');
    const downloads = seen.filter(({ phase }) => phase === 'download');
    assert.ok(downloads.length > (typeof source === 'string' ? 10 : 0), 'a Blob may arrive in one piece');
    assert.ok(downloads.every(({ total, loaded }, i) => total === large.length && loaded > (downloads[i - 1]?.loaded ?? 0)));
    assert.equal(downloads.at(-1)?.loaded, large.length);
    assert.deepEqual(await tale(model), expected);
  }
  // Every worker gets the file.
  const two = await load(`${origin}/large.gguf`, { workers: 2 });
  assert.deepEqual(await tale(two), expected);
  // An integrity digest needs the whole file, so the file is read completely.
  const integrity = `sha256-${createHash('sha256').update(large).digest('base64')}`;
  assert.deepEqual(await tale(await load(`${origin}/large.gguf`, { integrity })), expected);
  await assert.rejects(load(`${origin}/large.gguf`, { integrity: integrity.replace(/.=$/, 'A=') }), isError('integrity'));
});

test('an architecture that reads weights while the model opens needs the whole file', { timeout: 60000 }, async () => {
  sent = picture;
  const model = await load(`${origin}/picture.gguf`);
  sent = large;
  assert.deepEqual(model.info.verbs, ['complete', 'generate', 'attention', 'score']);
  model.close();
});

test('an interrupted download resumes where it stopped', { timeout: 60000 }, async () => {
  most = 2e7;
  requests = 0;
  const expected = await tale(await load(large));
  assert.deepEqual(await tale(await load(`${origin}/large.gguf`, { patience: 2000 })), expected);
  assert.equal(requests, 2);
  most = Infinity;
});

longer(
  'a content-length that is too small, as in a compressed response: a file opens with a last tensor of any type',
  { timeout: 60000 },
  async () => {
    const { tensors } = readGGUF(toyText());
    const metadata = {
      'general.architecture': ['string', 'llama'],
      ...Object.fromEntries(
        ['context_length', 'embedding_length', 'block_count', 'feed_forward_length', 'attention.head_count'].map((key, i) => [
          `llama.${key}`,
          ['u32', [64, 16, 1, 32, 2][i]],
        ]),
      ),
    };
    const trimmed = Object.entries(tensors).map(([key, { shape, type, data }]) => [
      key,
      {
        shape,
        type,
        data: data.slice(
          0,
          shape.reduce((product, n) => product * n, 1),
        ),
      },
    ]);
    // The engine skips tensors that the model does not need. This test adds one large tensor, and one tensor of each type.
    const bulk = { shape: [2 ** 23], type: F32, data: new Float32Array(2 ** 23) };
    const ROWS = 200;
    const last = {
      shape: [ROWS, 1],
      type: F32,
      data: new Uint8Array(ROWS * Math.max(...Object.values(TENSOR_TYPES).map(([, , bytes]) => bytes))),
    };
    const file = Buffer.from(writeGGUF({ metadata, tensors: { ...Object.fromEntries(trimmed), bulk, last } }).buffer);
    const entry = file.indexOf('last') + 'last'.length + 4;
    // Tests every eighth type, with one file of 33 MB for each type; npm run test:all tests every type.
    for (const [code, [name, values, bytes]] of Object.entries(TENSOR_TYPES).filter((_, i) => EVERY || i % 8 === 0)) {
      file.writeUInt32LE(values, entry);
      file.writeUInt32LE(Number(code), entry + 16);
      const whole = file.subarray(0, file.length - Math.floor((last.data.length - ROWS * bytes) / 32) * 32);
      let at = 0;
      const stream = new ReadableStream({
        pull(controller) {
          if (at < whole.length) controller.enqueue(new Uint8Array(whole.subarray(at, (at += 2 ** 20))));
          else controller.close();
        },
      });
      const model = await load(new Response(stream, { headers: { 'content-length': String(2 ** 25) } })).catch((error) =>
        assert.fail(`${name}: ${error.message}`),
      );
      model.close();
    }
  },
);

longer(
  'a compressed response that continues endlessly after its file is read only to the end of the file',
  { timeout: 60000 },
  async () => {
    const small = toyText();
    const beyond = small.slice();
    const name = 'token_embd.weight';
    new DataView(beyond.buffer).setBigUint64(Buffer.from(beyond.buffer).indexOf(name) + name.length + 4, 2n ** 22n, true); // columns
    for (const [file, said, most] of /** @type {[Uint8Array, number, number][]} */ ([
      ...(EVERY ? /** @type {[Uint8Array, number, number][]} */ ([[large, 2 ** 25, large.length + 2 ** 23]]) : []), // like `picture` below
      [large, 1000, large.length + 2 ** 23],
      [small, 1000, 2 ** 25 + 2 ** 23],
      [picture, 2 ** 25, picture.length + 2 ** 23],
      [small.slice(0, 3000), 1000, 2 ** 26],
      [beyond, 1000, 2 ** 26],
    ])) {
      let at = 0;
      const stream = new ReadableStream({
        pull(controller) {
          const chunk = new Uint8Array(2 ** 20);
          chunk.set(file.subarray(at, (at += 2 ** 20)));
          controller.enqueue(chunk);
        },
      });
      const loading = load(new Response(stream, { headers: { 'content-length': String(said) } }));
      if (file.length === 3000) await assert.rejects(loading, isError('limit', /key is empty/));
      else if (file === beyond) await assert.rejects(loading, isError('limit', /larger than 3.75 GiB/));
      else (await loading).close();
      assert.ok(at <= most, `read ${at} bytes of a file of ${file.length}`);
    }
  },
);

test('files that are not models and truncated files are refused, and loading can be aborted', { timeout: 60000 }, async () => {
  const broken = large.slice();
  broken.fill(255, broken.length - 64, broken.length - 60); // not-a-number
  await assert.rejects(load(new Blob([broken])), isError('numeric', /output\.weight|weight/));
  const page = new Uint8Array(large.length).fill(32);
  page.set(new TextEncoder().encode('<!doctype html>'));
  await assert.rejects(load(new Blob([page])), isError('format', /looks like a web page/));
  await assert.rejects(load(new Blob([large.subarray(0, large.length - 1000)])), isError('format', /data lie outside the file/));
  // In this header, the name of the first key is as long as the whole file.
  const endless = new Uint8Array(large.length);
  endless.set(large.subarray(0, 24));
  new DataView(endless.buffer).setBigUint64(24, BigInt(large.length), true);
  await assert.rejects(load(new Blob([endless])), isError('format'));
  const stopper = new AbortController();
  const reason = new Error('enough');
  await assert.rejects(
    load(`${origin}/large.gguf`, {
      signal: stopper.signal,
      onProgress: ({ loaded }) => {
        if (loaded > 1e7) stopper.abort(reason);
      },
    }),
    reason,
  );
  const bodies = new Response(new Blob([large.subarray(0, 3e7)]), { headers: { 'Content-Length': String(large.length) } });
  await assert.rejects(load(bodies), isError('network', /ended before its last byte/));
});

test("only the model's memory is used; after a trap another worker reads the file again", async () => {
  /** @type {any[]} */
  const posted = [];
  const jobs = new Jobs(
    (message) => posted.push(message),
    (turn) => turn,
  );
  jobs.receive({ type: 'begin', id: 1, module: wasmModule, head: large.subarray(0, 10), size: large.length });
  assert.deepEqual(posted.pop(), { type: 'fed', id: 1, at: 0, lacks: 'more' });
  jobs.receive({ type: 'begin', id: 2, module: wasmModule, head: large.slice(0, 2 ** 20), size: large.length });
  for (let { at } = posted.at(-1); posted.at(-1).type === 'fed'; { at } = posted.at(-1)) {
    jobs.receive({ type: 'feed', id: 2, bytes: large.slice(at, at + 2 ** 20) });
    if (posted.at(-1).type === 'opened') break;
  }
  assert.equal(posted.at(-1).type, 'opened');
  const whole = new Core(wasmModule, large);
  const core = /** @type {Core} */ (jobs.core);
  assert.ok(memoryOf(core) < memoryOf(whole) - 0.9 * large.length, `${memoryOf(core)} of ${memoryOf(whole)}`);
  assert.throws(() => core.instance.call('nx_session_position', 2 ** 32 - 64), { code: 'trap' });
  assert.ok(core.poisoned);
  jobs.receive({
    type: 'draw',
    id: 3,
    known: Uint32Array.of(1),
    inputs: {},
    settings: { seed: 1n, samples: 1, temperature: 1, topK: 0, topP: 1 },
  });
  jobs.receive({ type: 'next', id: 3, chunkSize: 1 });
  assert.deepEqual(
    posted.slice(-2).map(({ type }) => type),
    ['failed', 'lost'],
  );
});

more('compressed responses, whose content-length is not that of the file, open whatever the declared length', async () => {
  const whole = await load(large.slice());
  const told = await tale(whole);
  whole.close();
  for (const [said, bytes] of /** @type {[number, Uint8Array][]} */ ([
    [2 ** 25, large],
    [2 ** 25 + 12345, large],
    [large.length - 1, large],
    [large.length, large],
    [1000, large],
    [2 ** 25 + 5, Buffer.concat([large, Buffer.alloc(64)])],
  ])) {
    const response = new Response(new Blob([/** @type {any} */ (bytes)]).stream(), { headers: { 'content-length': String(said) } });
    const model = await load(response);
    assert.deepEqual(await tale(model), told, String(said));
    model.close();
  }
  const broken = new Response(new Blob([large.subarray(0, large.length - 5)]).stream(), { headers: { 'content-length': String(2 ** 25) } });
  await assert.rejects(load(broken), isError('network', /ended before its last byte/));
});
