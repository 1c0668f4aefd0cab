// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that C and JavaScript read and check metadata keys of every GGUF type in the same way. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { roomIn } from '../../web/lib/element/head.js';
import { NextPixelError } from '../../web/lib/index.js';
import { readingHead } from '../../web/lib/gguf/header.js';
import { atOnce } from '../../web/lib/base/turns.js';
import { rowsOf } from '../kinds/js.js';
import { EVERY, longer, more } from '../more.js';
import { Core } from './core.js';
import { GOLDEN, load, wasmModule } from './helpers.js';
import { toyText } from './toy-text.js';

/** For each integer type, its code in a file and its size in bytes. @type {Record<string, [type: number, bytes: number]>} */
const WHOLE = { u8: [0, 1], i8: [1, 1], u16: [2, 2], i16: [3, 2], u32: [4, 4], i32: [5, 4], u64: [10, 8], i64: [11, 8] };
const text = new TextEncoder();

/** @param {Uint8Array} file  a weight file */
const headOf = (file) => /** @type {import('../../web/lib/gguf/walk.js').Head} */ (atOnce(readingHead(file, true)));

/** Encodes a value: first its type, then its bytes. @param {string} type @param {any} value @returns {number[]} */
function typed(type, value) {
  const u32 = (/** @type {number} */ number) => [...new Uint8Array(Uint32Array.of(number).buffer)];
  const u64 = (/** @type {number} */ number) => [...u32(number % 2 ** 32), ...u32(Math.floor(number / 2 ** 32))];
  const string = (/** @type {string} */ one) => [...u64(text.encode(one).length), ...text.encode(one)];
  if (type === 'string') return [...u32(8), ...string(value)];
  if (type === 'bool') return [...u32(7), Number(value)];
  if (type === 'f32') return [...u32(6), ...new Uint8Array(Float32Array.of(value).buffer)];
  if (type === 'strings') return [...u32(9), ...u32(8), ...u64(value.length), ...value.flatMap(string)];
  if (type === 'i32s') return [...u32(9), ...u32(5), ...u64(value.length), ...new Uint8Array(Int32Array.from(value).buffer)];
  if (type === 'u32s') return [...u32(9), ...u32(4), ...u64(value.length), ...new Uint8Array(Uint32Array.from(value).buffer)];
  const [number, bytes] = WHOLE[type];
  return [...u32(number), ...u64(value).slice(0, bytes)];
}

/**
 * Returns a copy of a file with some keys changed.
 *
 * @param {Uint8Array} file
 * @param {(key: string, value: () => number, list: () => number[]) => number[] | undefined} change  receives a key and readers for its
 *   value; returns the new type and value as bytes, or undefined to keep the key unchanged
 */
function changed(file, change) {
  const { entries, end, tensors } = headOf(file);
  const at = tensors.at(-1)?.to ?? end;
  const keys = entries.flatMap(({ key, from, to, value }) => {
    const own = new DataView(value.buffer, value.byteOffset, value.byteLength);
    const other = change(
      key,
      () => own.getUint32(0, true),
      () => Array.from({ length: value.length / 4 }, (_, i) => own.getInt32(4 * i, true)),
    );
    return other ? [...file.subarray(from, from + 8 + text.encode(key).length), ...other] : [...file.subarray(from, to)];
  });
  const head = [...file.subarray(0, 24), ...keys, ...file.subarray(end, at)];
  const start = 32 * Math.ceil(head.length / 32);
  const out = new Uint8Array(start + file.length - 32 * Math.ceil(at / 32));
  out.set(head);
  out.set(file.subarray(32 * Math.ceil(at / 32)), start);
  return out;
}

const ROWS = Object.values(rowsOf('keys')).flatMap((row) => (typeof row === 'string' ? [] : [row]));

const golden = async (/** @type {string} */ name) => new Uint8Array(await readFile(`${GOLDEN}${name}.gguf`));

for (const { integers = {} } of ROWS)
  for (const [name, when] of Object.entries(integers)) {
    (when === 'always' ? test : more)(`the integers of ${name} mean the same in every integer type`, async () => {
      const file = await golden(name);
      const plain = await load(file.slice());
      const numbers = headOf(file)
        .entries.filter(({ type, key }) => (type === 4 || type === 5) && key !== 'general.alignment')
        .map(({ key }) => key);
      assert.ok(numbers.length > 0);
      for (const type of Object.keys(WHOLE)) {
        const most = 2 ** (8 * WHOLE[type][1] - (type[0] === 'i' ? 1 : 0));
        const other = changed(file, (key, value) => (numbers.includes(key) && value() < most ? typed(type, value()) : undefined));
        const model = await load(other.slice());
        const { bytes: _, ...info } = model.info;
        const { bytes: __, ...same } = plain.info;
        assert.deepEqual(info, same, type);
        assert.deepEqual(roomIn(other.subarray(0, 4096)), roomIn(file.subarray(0, 4096)), type);
        model.close();
      }
      plain.close();
    });
  }

longer('load() checks every key that only JavaScript reads, and none of these errors blames the caller', async () => {
  const values = /** @type {[string, any][]} */ ([
    ['string', 'word@0'],
    ['u32', 5],
    ['i64', 5],
    ['u64', 3],
    ['bool', 1],
    ['f32', 0.5],
    ['strings', []],
    ['strings', ['any@0']],
    ['strings', ['zzz@0', 'any@0']],
    ['i32s', []],
    ['i32s', [1, 2]],
    ['u32s', [7]],
  ]);
  for (const [name, own, read] of ROWS.flatMap(({ read = {}, use }) =>
    Object.entries(read).map(([file, keys]) => /** @type {const} */ ([file, keys, use])),
  )) {
    const file = await golden(name);
    for (const [i, key] of own.entries()) {
      for (const [type, value] of values.filter((_, j) => EVERY || (i + j) % 3 === 0)) {
        const there = headOf(file).entries.some((entry) => entry.key === key);
        assert.ok(there, `${name} has no key ${key}`);
        const asked = async () => {
          const model = await load(changed(file, (one) => (one === key ? typed(type, value) : undefined)));
          await read?.(model);
          model.close();
        };
        await asked().catch((error) =>
          assert.ok(
            error instanceof NextPixelError && /^(format|unsupported|limit)$/.test(error.code),
            `${key} as ${type}: ${error.stack}`,
          ),
        );
      }
    }
  }
});

test('a negative, fractional or huge number in a picture model is refused, whether the engine or the library reads it', async () => {
  const keys = ROWS.flatMap(({ numbers = {} }) => Object.entries(numbers)).flatMap(([name, all]) =>
    all.map((own) => /** @type {const} */ ([name, own])),
  );
  for (const [name, own] of keys) {
    const file = await golden(name);
    assert.ok(headOf(file).entries.some(({ key }) => key === own));
    for (const [type, value] of /** @type {[string, any][]} */ ([
      ['i8', -1],
      ['i32', -1],
      ['i64', -1],
      ['i64', -(2 ** 60)],
      ['u64', 2 ** 53],
      ['f32', 0.5],
      ['string', '3'],
      ['strings', []],
    ])) {
      const given = load(changed(file, (key) => (key === own ? typed(type, value) : undefined)));
      await assert.rejects(
        given,
        (/** @type {any} */ error) => error instanceof NextPixelError && /^(format|limit)$/.test(error.code),
        `${own} as ${type} ${value}`,
      );
    }
  }
});

test('unsigned hashes give the same tags as signed ones, or are refused', async () => {
  const file = await golden('chain-crf-tiny');
  const tag = async (/** @type {Uint8Array} */ bytes) => (await (await load(bytes)).tag('The dog runs .')).tags;
  const unsigned = changed(file, (key, _, list) =>
    /hashes$/.test(key)
      ? typed(
          'u32s',
          list().map((hash) => hash >>> 0),
        )
      : undefined,
  );
  const same = await tag(unsigned).catch((error) => assert.equal(error.code, 'format'));
  if (same) assert.deepEqual(same, await tag(file.slice()));
});

test('a negative end token means that there is none, and a negative count is refused, in the engine and in the library', async () => {
  const eos = 'tokenizer.ggml.eos_token_id',
    eot = 'tokenizer.ggml.eot_token_id',
    file = toyText({ metadata: { [eot]: ['u32', 5] } });
  const endsOf = (/** @type {Uint8Array} */ bytes) => new Core(wasmModule, bytes).part.ends;
  assert.deepEqual(endsOf(file), [2, 5]);
  for (const type of ['i8', 'i16', 'i32', 'i64']) {
    const none = changed(file, (key) => (key === eos || key === eot ? typed(type, -1) : undefined));
    assert.deepEqual(endsOf(none.slice()), [], type);
    const model = await load(none);
    assert.equal(model.tokenizer.end, undefined, type);
    model.close();
    const count = changed(file, (key) => (key === 'llama.block_count' ? typed(type, -1) : undefined));
    assert.throws(() => endsOf(count), { code: 'format' });
  }
  assert.throws(() => endsOf(changed(file, (key) => (key === eos ? typed('f32', 2) : undefined))), { code: 'format' });
});
