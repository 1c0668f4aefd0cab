// SPDX-License-Identifier: MIT
// @ts-check

/** Tests models that are split into several files, as llama.cpp splits them. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { joiningParts } from '../../web/lib/load/split-files.js';
import { readGGUF, writeGGUF } from './gguf.js';
import { GOLDEN, isError, load } from './helpers.js';
import { toyQwen } from './toy-qwen.js';
import { toyText } from './toy-text.js';

/** @import { Typed } from './gguf.js' */

/** Splits a file into `count` files. @param {Uint8Array<ArrayBuffer>} file @param {number} count @param {Record<string, Typed>} metadata */
function split(file, count, metadata) {
  const { tensors } = readGGUF(file);
  const names = Object.keys(tensors);
  return Array.from({ length: count }, (_, part) =>
    writeGGUF({
      metadata: {
        ...(part === 0 ? metadata : {}),
        'split.no': ['u32', part],
        'split.count': ['u32', count],
        'split.tensors.count': ['i32', names.length],
      },
      tensors: Object.fromEntries(
        names.filter((_, i) => Math.floor((i * count) / names.length) === part).map((name) => [name, cut(tensors[name])]),
      ),
    }),
  );
}

/** Returns a copy of the bytes of a tensor. @param {import('./gguf.js').Tensor} tensor */
const cut = (tensor) =>
  tensor.type === 8 ? { ...tensor, data: tensor.data.slice(0, ((tensor.shape[0] * tensor.shape[1]) / 32) * 34) } : tensor;

/** Returns the metadata of a model: numbers and strings, with their types. @param {Uint8Array<ArrayBuffer>} file */
function metadataOf(file) {
  return Object.fromEntries(
    Object.entries(readGGUF(file).metadata).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? ['string', value]
        : typeof value === 'boolean'
          ? ['bool', value]
          : Array.isArray(value)
            ? ['array', typeof value[0] === 'string' ? 'string' : key.endsWith('type') ? 'i32' : 'f32', value]
            : Number.isInteger(value) && !key.includes('rope')
              ? ['u32', value]
              : ['f32', value],
    ]),
  );
}

test('parts in any order give the same model', async () => {
  for (const file of [toyQwen({ key: 60 }), toyText(), toyQwen({ exact: true })]) {
    const metadata = /** @type {Record<string, Typed>} */ (metadataOf(file));
    const score = async (/** @type {any} */ source) => {
      const model = await load(source);
      const { perToken } = await model.score([1, 5, 6, 7, 8, 9]);
      model.close();
      return [...perToken];
    };
    const whole = await score(file.slice());
    for (const count of [1, 2, 5]) {
      const parts = split(file, count, metadata);
      assert.deepEqual(await score(parts.map((part) => part.slice())), whole, `${count} parts`);
      assert.deepEqual(await score([...parts].reverse().map((part) => new Blob([part]))), whole);
    }
    const [first, second, third] = split(file, 3, metadata);
    const rejected = (/** @type {any} */ source, /** @type {any} */ code, /** @type {RegExp} */ message) =>
      assert.rejects(load(source), isError(code, message));
    await rejected([first, second], 'format', /not all the parts of one model \(2 files, of a model in 3\)/);
    await rejected([first, second, second], 'format', /part 3 is missing/);
    await rejected([first, second, split(file, 2, metadata)[1]], 'format', /one is of 2 parts/);
    await rejected([first, second, third.slice(0, 200)], 'format', /damaged or incomplete|truncated|ends/);
    await rejected([], 'argument', /a list of 1 to 256 parts of one file/);
    await rejected(first, 'unsupported', /one part of several: load all of them/);
  }
});

test('parts whose tensors share data are refused, because a small file could request any amount of memory', async () => {
  const names = Array.from({ length: 2000 }, (_, i) => `t${i}`);
  const part = writeGGUF({
    metadata: { 'general.architecture': ['string', 'llama'] },
    tensors: Object.fromEntries(
      names.map((name, i) => [name, { shape: [i ? 0 : 2 ** 17], type: 0, data: new Float32Array(i ? 0 : 2 ** 17) }]),
    ),
  });
  const view = new DataView(part.buffer);
  for (let at = 24 + 8 + 'general.architecture'.length + 4 + 8 + 'llama'.length, i = 0; i < names.length; i++) {
    // gives all tensors the offset and the length of the first one
    at += 8 + names[i].length + 4;
    view.setBigUint64(at, 2n ** 17n, true);
    view.setBigUint64(at + 12, 0n, true);
    at += 20;
  }
  const before = process.resourceUsage().maxRSS;
  await assert.rejects(load([part]), isError('format', /damaged or incomplete/));
  const more = (process.resourceUsage().maxRSS - before) / 1024;
  assert.ok(more < 200, `${Math.round(more)} MB more for a file of ${part.length} bytes`);
});

test('parts are joined in chunks', () => {
  const parts = [0, 1].map((part) =>
    writeGGUF({
      metadata: { 'split.no': ['u32', part], 'split.count': ['u32', 2] },
      tensors: { [`t${part}`]: { shape: [2 ** 22], type: 0, data: new Float32Array(2 ** 22) } },
    }),
  );
  let yields = 0;
  for (const work = joiningParts(parts); !work.next().done; ) yields++;
  assert.ok(yields >= 8, `${yields}`);
});

test('the address or the path of the first part loads all parts', async (context) => {
  const file = toyText();
  const parts = split(file, 3, /** @type {Record<string, Typed>} */ (metadataOf(file)));
  const folder = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  context.after(() => rm(folder, { recursive: true }));
  const name = (/** @type {number} */ i) => `toy-0000${i + 1}-of-00003.gguf`;
  await Promise.all(parts.map((part, i) => writeFile(join(folder, name(i)), part)));
  /** @type {string[]} */
  const asked = [];
  const server = createServer(async (request, response) => {
    asked.push(String(request.url));
    response.end(await readFile(join(folder, String(request.url).split('/').at(-1) ?? '')));
  }).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  for (const source of [join(folder, name(0)), `http://127.0.0.1:${port}/${name(0)}`, new URL(`http://127.0.0.1:${port}/${name(0)}`)]) {
    const model = await load(source);
    assert.equal(model.info.vocabulary, model.tokenizer.size);
    assert.ok((await model.score('abcabc')).nats > 0);
    model.close();
  }
  assert.deepEqual(
    asked.slice(0, 3),
    [0, 1, 2].map((i) => `/${name(i)}`),
  );
  await assert.rejects(load(join(folder, 'other-00001-of-00002.gguf')), isError('network'));
  assert.ok(await readFile(`${GOLDEN}stories260K.gguf`));
});
