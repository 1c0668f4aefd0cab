// SPDX-License-Identifier: MIT
// @ts-check

/** The wasm instance and its memory, and that the tables of the library say what include/nextpixel.h says. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Core } from '../../web/lib/core.js';
import { NextPixelError, statusError } from '../../web/lib/error.js';
import { Heap } from '../../web/lib/heap.js';
import { NAME_BYTES, PROBLEM_BYTES, STRUCTS, readStruct, sizeOf, writeStruct } from '../../web/lib/layout.js';
import { ABI_VERSION, CODES, MAX_SAMPLES, codeOfStatus } from '../../web/lib/protocol.js';
import { ROOT, isError, load, wasmModule } from './helpers.js';
import { noise, toyModel } from './toy.js';

const header = await readFile(`${ROOT}include/nextpixel.h`, 'utf8');
const code = header.replace(/\/\*[\s\S]*?\*\//g, '');
const draw = { seed: 1n, samples: 1, label: -1, temperature: 1, topK: 0, topP: 1 };

/** @param {string} name  of a macro with a whole number */
const macro = (name) => Number(new RegExp(`#define ${name} (\\d+)`).exec(code)?.[1]);

test('constants of the header', () => {
  assert.equal(ABI_VERSION, macro('NX_ABI_VERSION'));
  assert.equal(MAX_SAMPLES, macro('NX_MAX_SAMPLES'));
  assert.equal(NAME_BYTES, macro('NX_NAME_BYTES'));
  assert.equal(PROBLEM_BYTES, 2 * NAME_BYTES);
});

test('every status of the header has its code, and the codes are the documented ones', async () => {
  const statuses = [...code.matchAll(/NX_E_([A-Z]+) = (-\d+)/g)];
  assert.ok(statuses.length >= 7);
  for (const [, name, status] of statuses) assert.equal(codeOfStatus(Number(status)), name.toLowerCase());
  assert.equal(CODES.indexOf('network'), statuses.length, 'our own codes follow those of the header');
  for (const [, , status] of statuses) {
    const error = statusError(Number(status), 'Trying');
    assert.equal(error.code, codeOfStatus(Number(status)));
    assert.equal(error.status, Number(status));
    assert.match(error.message, /^Trying failed \(.+\)\. .+\.$/);
  }
  const protocol = await readFile(`${ROOT}web/lib/protocol.js`, 'utf8');
  assert.deepEqual(
    [...protocol.matchAll(/^ \* - `(\w+)` /gm)].map(([, name]) => name),
    CODES,
  );
});

test('structs of the header', () => {
  const kinds = { uint32_t: 'u', int32_t: 'i', float: 'f' };
  for (const [name, fields] of Object.entries(STRUCTS)) {
    const body = new RegExp(`typedef struct \\{([^}]*)\\} ${name};`).exec(code)?.[1] ?? '';
    const declared = body.split(';').flatMap((line) => {
      const match = /^\s*(?:const )?(\w+) (.+)$/s.exec(line.trim());
      if (!match) return [];
      return match[2].split(',').map((field) => {
        const pointer = field.includes('*');
        return [field.replace('*', '').trim(), pointer ? 'u' : kinds[/** @type {'float'} */ (match[1])]];
      });
    });
    assert.deepEqual(Object.entries(fields), declared, name);
  }
  const problem = /typedef struct \{([^}]*)\} nx_problem;/.exec(code)?.[1] ?? '';
  assert.deepEqual(
    [...problem.matchAll(/char (\w+)\[NX_NAME_BYTES\]/g)].map(([, name]) => name),
    ['name', 'reason'],
  );
});

test('structs have the sizes that src/nextpixel.c asserts', async () => {
  const source = await readFile(`${ROOT}src/nextpixel.c`, 'utf8');
  const sizes = [...source.matchAll(/sizeof\((nx_\w+)\) == (\d+)/g)];
  assert.ok(sizes.length >= 4);
  for (const [, name, bytes] of sizes) {
    assert.equal(name === 'nx_problem' ? PROBLEM_BYTES : sizeOf(/** @type {any} */ (name)), Number(bytes), name);
  }
});

test('a struct is read as it was written', () => {
  const view = new DataView(new ArrayBuffer(64));
  const settings = {
    seed_low: 2 ** 32 - 1,
    seed_high: 1,
    samples: 2,
    first_sample: 3,
    label: -1,
    temperature: 0.5,
    top_k: 4,
    top_p: 1,
    trace: 1,
    look_ahead: 8,
  };
  writeStruct(view, 8, 'nx_settings', settings);
  assert.deepEqual(readStruct(view, 8, 'nx_settings'), settings);
  assert.equal(view.getUint32(8 + sizeOf('nx_settings'), true), 0);
});

test('the wasm exports what the header declares, and needs nothing', () => {
  const declared = [...code.matchAll(/NX_API [\w ]+?\*?(nx_\w+)\(/g)].map(([, name]) => name);
  const exported = WebAssembly.Module.exports(wasmModule).map(({ name }) => name);
  assert.deepEqual(exported.sort(), [...declared, 'memory', '__heap_base'].sort());
  assert.deepEqual(WebAssembly.Module.imports(wasmModule), []);
});

test('heap: lowest gap first, aligned, merged by freeing', () => {
  const heap = new Heap(1001, 16);
  const [a, b, c] = [heap.take(10), heap.take(16), heap.take(1)];
  assert.deepEqual([a, b, c], [1008, 1024, 1040]);
  heap.free(b);
  assert.equal(heap.take(17), 1056, 'too large for the gap');
  assert.equal(heap.take(16), b);
  heap.free(a);
  heap.free(b);
  assert.equal(heap.take(32), a, 'the space of two neighbours');
  assert.throws(() => heap.free(b), RangeError);
  assert.equal(heap.count, 3);
  const high = new Heap(2 ** 31 + 8, 16);
  assert.equal(high.take(2 ** 30), 2 ** 31 + 16);
  assert.equal(high.take(1), 2 ** 31 + 16 + 2 ** 30, 'addresses above 2^31');
});

test('heap: random use never overlaps', () => {
  const heap = new Heap(0, 16);
  /** @type {{ address: number, bytes: number }[]} */
  const live = [];
  const random = noise(4000);
  for (let i = 0; i < 2000; i++) {
    if (random[2 * i] < 140 || live.length === 0) {
      const bytes = random[2 * i + 1];
      const address = heap.take(bytes);
      assert.equal(address % 16, 0);
      assert.ok(
        live.every(
          (block) =>
            address + Math.max(bytes, 1) <= block.address || block.address + Math.max(block.bytes, 1) <= address,
        ),
      );
      live.push({ address, bytes });
    } else {
      heap.free(live.splice(random[2 * i + 1] % live.length, 1)[0].address);
    }
  }
  assert.equal(heap.count, live.length);
});

test('memory does not grow over many runs', () => {
  const core = new Core(wasmModule, toyModel());
  const run = () => {
    const session = core.openSession({ ...draw, samples: 3 });
    core.prefill(session, noise(20), false);
    core.step(session, 44);
    core.closeSession(session);
  };
  run();
  const bytes = core.memoryBytes;
  for (let i = 0; i < 50; i++) run();
  assert.equal(core.memoryBytes, bytes);
  assert.equal(core.sessions, 0);
});

test('sessions live side by side while memory grows under them', () => {
  const core = new Core(wasmModule, toyModel({ width: 16, height: 16 }));
  const alone = core.openSession(draw);
  const expected = core.step(alone, 256);
  core.closeSession(alone);
  const first = core.openSession(draw);
  const head = core.step(first, 100);
  const before = core.memoryBytes;
  const many = Array.from({ length: 4 }, () => core.openSession({ ...draw, samples: 16 }));
  assert.ok(core.memoryBytes > before);
  const tail = core.step(first, 156);
  assert.deepEqual([...head.values, ...tail.values], [...expected.values]);
  assert.deepEqual([...head.nats, ...tail.nats], [...expected.nats]);
  for (const session of many) core.closeSession(session);
});

test('what the C library refuses becomes an error with its status', () => {
  const core = new Core(wasmModule, toyModel());
  for (const wrong of [
    { samples: 0 },
    { samples: 65 },
    { temperature: NaN },
    { temperature: -1 },
    { topP: 0 },
    { label: 0 },
  ]) {
    assert.throws(
      () => core.openSession({ ...draw, ...wrong }),
      (error) => isError('argument')(error) && error instanceof NextPixelError && error.status === -1,
    );
  }
  assert.equal(core.sessions, 0, 'a refused session leaves nothing behind');
  const session = core.openSession(draw);
  assert.throws(() => core.step(session, 65), isError('argument', /position 0/));
  core.step(session, 1);
  assert.throws(() => core.prefill(session, noise(1), false), isError('argument'));
  assert.throws(() => core.attention(session, 0), isError('argument'));
  assert.throws(() => core.output(session, 1), isError('argument'));
  assert.throws(() => core.prefill(session, noise(100000), false), RangeError);
  assert.equal(core.position(session), 1);
});

test('slices count every value: 64 samples of three channels', () => {
  const file = toyModel({ channels: 3, levels: 256, output: 'dmol', mixtures: 1, width: 16, height: 16 });
  const core = new Core(wasmModule, file);
  assert.deepEqual([core.positions, core.positionValues, core.sliceLimit(64), core.sliceLimit(1)], [256, 3, 42, 2730]);
  const session = core.openSession({ ...draw, samples: 64 });
  const { values, nats } = core.step(session, 42);
  assert.deepEqual([values.length, nats.length], [42 * 64 * 3, 42 * 64 * 3]);
  assert.ok(nats.every((cost) => cost >= 0 && Number.isFinite(cost)));
  assert.throws(() => core.step(session, 43), RangeError);
  assert.equal(core.output(session, 63).length, 10);
  core.closeSession(session);
});

test('a palette, and an input that must come first', () => {
  const core = new Core(wasmModule, toyModel({ channels: 3, levels: 5, palette: true, inputWidth: 4 }));
  const session = core.openSession(draw, { trace: true });
  assert.throws(() => core.step(session, 1), isError('argument'));
  assert.throws(() => core.prefill(session, Uint8Array.of(0), false), isError('argument'));
  assert.throws(() => core.condition(session, noise(47)), isError('argument', /small picture/));
  core.condition(session, noise(48));
  assert.throws(() => core.condition(session, noise(48)), isError('argument'));
  assert.throws(() => core.prefill(session, Uint8Array.of(5), false), isError('argument'));
  core.prefill(session, Uint8Array.of(4, 0, 3), true);
  assert.deepEqual([...core.attention(session, 0).keys], [0, 1, 2]);
  assert.ok(core.step(session, 61).values.every((index) => index < 5));
  core.closeSession(session);
  assert.equal(core.sessions, 0, 'what condition() and attention() took is free again');
  const plain = new Core(wasmModule, toyModel());
  const other = plain.openSession(draw);
  assert.throws(() => plain.condition(other, noise(48)), isError('argument'));
});

test('a model takes and gives back nothing but its own memory', async () => {
  // The file's bytes stand above the model while it opens; runs use that space afterwards.
  const file = toyModel({ embedding: 64, feedForward: 256 });
  const core = new Core(wasmModule, file);
  const { memoryBytes } = core;
  core.closeSession(core.openSession(draw));
  assert.equal(core.memoryBytes, memoryBytes);
  (await load(file)).close();
});
