// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the tables of settings and verbs, and the files that are generated from these tables and from the C headers. */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { abi, abiFile, tensorTypesFile } from '../../web/tools/abi.js';
import { STRUCTS } from '../../web/lib/engine/abi.js';
import { checkSettings } from '../../web/lib/base/checks.js';
import { PROBLEM_BYTES, scratchAreas } from '../../web/lib/engine/layout.js';
import { MAX_SIDE } from '../../web/lib/kinds/common-looks.js';
import { ROWS } from '../../web/lib/settings.js';
import { ATTRIBUTES, TASKS } from '../../web/lib/element/tasks.js';
import { KINDS } from '../../web/lib/kinds/index.js';
import { ALL } from '../../web/lib/verbs/table.js';
import { GENERATED, SYSTEMS, asked, handWritten, mentions } from '../../web/tools/mentions.js';
import { typeFiles } from '../../web/tools/options.js';
import { rowsOf } from '../kinds/js.js';
import { NAMES } from '../kinds/rows.js';
import { ROOT, isError } from './helpers.js';

const header = await readFile(`${ROOT}include/nextpixel.h`, 'utf8');

test('generated files match the C headers and the tables', async () => {
  assert.equal(await readFile(`${ROOT}web/lib/engine/abi.js`, 'utf8'), await abiFile(), 'run ./build.sh js');
  assert.equal(await readFile(`${ROOT}web/lib/gguf/tensor-types.js`, 'utf8'), await tensorTypesFile(), 'run ./build.sh js');
  for (const [path, text] of await typeFiles())
    assert.equal(await readFile(`${ROOT}web/${path}`, 'utf8'), text, `${path}: run ./build.sh js`);
});

test('the largest side of a picture is the same in C, in JavaScript and in the manual', async () => {
  const [, side] = /^#define NX_MAX_SIDE (\d+)$/m.exec(await readFile(`${ROOT}src/layers/pictures.h`, 'utf8')) ?? [];
  assert.equal(MAX_SIDE, Number(side));
  const said = [
    ...(await readFile(`${ROOT}web/manual/chapters/files.md`, 'utf8')).matchAll(/^\| `image\.height`, `image\.width` \| \d+ to (\d+)/gm),
  ].map(([, most]) => most);
  assert.ok(said.length >= 7);
  assert.deepEqual(new Set(said), new Set([side]));
});

test('a new field of nx_settings moves the fields after it, and no memory areas overlap', async () => {
  const more = header.replace('uint32_t biases;', 'float first_more, second_more; uint32_t biases;');
  assert.notEqual(more, header);
  const text = abi(more).replace(/^export const STRUCTS/m, 'export const GROWN');
  const { GROWN } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const names = Object.keys(GROWN.nx_settings);
  assert.deepEqual(names.slice(-4), ['first_more', 'second_more', 'biases', 'hidden']);
  assert.equal(GROWN.nx_settings.first_more, 'f');
  for (const structs of [STRUCTS, GROWN]) {
    const areas = scratchAreas(structs);
    const bytes = Object.values(structs).map((fields) => 4 * Object.keys(fields).length);
    const taken = [
      [areas.struct, Math.max(...bytes)],
      [areas.result, 8],
      [areas.shape, 4 * Object.keys(structs.nx_shape).length],
      [areas.problem, PROBLEM_BYTES],
    ].sort(([a], [b]) => a - b);
    for (const [i, [at, size]] of taken.entries()) assert.ok(at + size <= (taken[i + 1]?.[0] ?? areas.bytes), `area ${i}`);
    for (const [at] of taken) assert.equal(at % 16, 0);
  }
  assert.ok(scratchAreas(GROWN).result >= 4 * names.length);
});

test('every field of nx_settings has a row, or is set by the core', () => {
  const told = ['seed_low', 'seed_high', 'maps', 'biases', 'hidden'];
  assert.deepEqual([...told, ...ROWS.flatMap(([, { field }]) => field ?? [])].sort(), Object.keys(STRUCTS.nx_settings).sort());
  for (const [name, { field, initial, off = initial }] of ROWS)
    if (field && name !== 'lookUp') assert.ok(off !== undefined, `${name} needs a default or a value that turns it off`);
});

test('the library checks the ranges in the table', () => {
  for (const [name, { of, whole, number, over, flag }] of ROWS) {
    const kind = of.split(' ')[0];
    if (!kind) continue;
    const wrong = (/** @type {unknown} */ value) =>
      assert.throws(() => checkSettings(kind, { [name]: value }), isError('argument', new RegExp(`^${name} must be`)));
    const [low, high] = whole ?? number ?? [];
    if (low !== undefined && high !== undefined) {
      for (const value of [low - 1, high + 1, NaN, '1', null]) wrong(value);
      if (whole) wrong(low + 0.5);
      if (over) wrong(low);
      else checkSettings(kind, { [name]: low });
      checkSettings(kind, { [name]: high });
    }
    if (flag) for (const value of [1, 'true', null]) wrong(value);
  }
});

test('the element has a task for each verb with attributes, and each attribute has one meaning', () => {
  // Verbs that draw come first; within each group, verbs are in alphabetical order.
  const tasks = Object.values(rowsOf('tasks')).map(({ draws = [], answers = [] }) => [draws, answers]);
  assert.deepEqual(
    TASKS.map(({ task }) => task),
    [0, 1].flatMap((part) => [...new Set(tasks.flatMap((own) => own[part]))].sort()),
  );
  assert.ok(ALL.every(([name]) => KINDS.some(({ verbs }) => name in verbs)));
  assert.ok(KINDS.every(({ verbs }) => Object.keys(verbs).every((name) => ALL.some(([verb]) => verb === name))));
  for (const { attributes } of TASKS)
    for (const [name, reading] of Object.entries(attributes)) assert.deepEqual(reading, ATTRIBUTES[name], name);
  assert.deepEqual(Object.keys(ATTRIBUTES).sort(), [
    'bars',
    'beams',
    'from',
    'label',
    'max-tokens',
    'prompt',
    'rows',
    'samples',
    'seconds',
    'seed',
    'shape',
    'speaker',
    'src',
    'steps',
    'system',
    'temperature',
    'template',
    'tempo',
    'to',
    'top-p',
    'tries',
    'voices',
  ]);
});

/** Kinds that other kinds build on, or that the library's common code mentions. */
const BASE = ['picture', 'sound', 'text'];

test('a kind is declared in its own folder; at most three hand-written files of the library outside the folder mention the kind', async () => {
  const lib = new URL('../../web/lib/', import.meta.url);
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const name of (await readdir(lib, { recursive: true })).filter((one) => one.endsWith('.js'))) {
    const text = await readFile(new URL(name, lib), 'utf8');
    if (!GENERATED.test(text)) texts.set(name.replaceAll('\\', '/'), text);
  }
  for (const { name } of KINDS.filter((kind) => !BASE.includes(kind.name))) {
    const { TYPES, OPTIONS = {} } = await import(`${lib}kinds/${name}/kind.js`);
    const types = [TYPES.model, ...TYPES.steps, ...TYPES.others, ...Object.values(OPTIONS).map(([type]) => type)].filter(
      (type) => type !== 'Look',
    ); // leaves out Look, which kinds/looks.js declares
    const knows = new RegExp(`/${name}/\\w+(-\\w+)*\\.js|'${name}'|of: '[^']*\\b${name}\\b|\\b(${types.join('|')})\\b`);
    const files = [...texts].filter(([file, text]) => !file.startsWith(`kinds/${name}/`) && knows.test(text)).map(([file]) => file);
    assert.ok(files.length <= 3, `${name}: ${files.join(', ')}`);
  }
});

test('each folder of tests/kinds belongs to a kind', async () => {
  const folders = (await readdir(`${ROOT}tests/kinds`, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).sort(), [...NAMES].sort());
});

test("apart from a system's own files, at most three hand-written files of the library mention the system, comments included", () => {
  const texts = new Map([...handWritten()].filter(([name]) => name.startsWith('web/lib/')));
  assert.ok(texts.size > 100);
  for (const system of SYSTEMS) {
    const files = mentions(system, texts);
    assert.ok(files.length <= 3, `${system.name}: ${files.join(', ')} (node web/tools/mentions.js --list ${system.name})`);
  }
});

test('mentions.js counts the systems named in its arguments, with or without --list, and refuses unknown names', () => {
  const names = (/** @type {string[]} */ ...args) => asked(args).systems.map(({ name }) => name);
  const all = SYSTEMS.map(({ name }) => name);
  const [first, second, last] = [all[0], all[1], all[all.length - 1]];
  assert.deepEqual(names(second), [second]);
  assert.deepEqual(names(last, '--list', second), [second, last]);
  assert.equal(names('--list').length, SYSTEMS.length);
  assert.throws(() => asked(['--list', 'Nonsense']), new RegExp(`no system Nonsense: name ${first}, ${second}`));
  assert.throws(() => asked(['--lists']), /--lists/);
});
