// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that input of twice the length takes about twice the time, so that no cost is quadratic in a length that may become large. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { atOnce } from '../../web/lib/base/turns.js';
import { straight, visible } from '../../web/lib/base/typed.js';
import { readEntries, readingEntries, readingHead } from '../../web/lib/gguf/header.js';
import { lookupOf, metadataOf } from '../../web/lib/gguf/metadata.js';
import { NextPixelError } from '../../web/lib/index.js';
import { KINDS } from '../../web/lib/kinds/index.js';
import { hashing } from '../../web/lib/kinds/text/saved-state.js';
import { sentencesIn } from '../../web/lib/kinds/text/sentences.js';
import { Tokenizer } from '../../web/lib/kinds/text/tokenizer.js';
import { cutOf, names, splitter } from '../../web/lib/kinds/text/tokenizer/pre.js';
import { Features } from '../../web/lib/media/features.js';
import { cut } from '../../web/lib/media/words.js';
import { levelsOf } from '../../web/lib/sinks/bidi.js';
import { EVERY, longer, oneOf } from '../more.js';
import { readGGUF, writeGGUF } from './gguf.js';
import { named, NAMES } from '../kinds/rows.js';
import { rowsOf, weightsOf } from '../kinds/js.js';
import { GOLDEN, load } from './helpers.js';

const SHORT = 1 << 14;
/**
 * Times below this number of milliseconds are not compared, because the clock and the garbage collector make their ratio too imprecise.
 */
const LEAST_MS = 150;
/** A cost counts as quadratic if twice the input takes at least this many times as long. */
const MOST = 3;

/** @param {() => unknown} task @returns {number} */
function time(task) {
  const before = process.cpuUsage();
  task();
  return process.cpuUsage(before).user / 1000;
}

/** @param {string} name @param {() => unknown} short @param {() => unknown} long */
function compare(name, short, long) {
  for (let tries = 3; ; tries--) {
    const [before, ms] = [time(short), time(long)];
    if (ms < LEAST_MS || ms < MOST * before) return;
    assert.ok(tries > 0, `${name}: ${before} ms, twice the length ${ms} ms`);
  }
}

/** @param {() => unknown} task  returns a promise */
async function timeAsync(task) {
  const before = process.cpuUsage();
  await task();
  return process.cpuUsage(before).user / 1000;
}

/** Compares the times of two asynchronous functions. @param {string} name @param {() => unknown} short @param {() => unknown} long */
async function compareAsync(name, short, long) {
  for (let tries = 3; ; tries--) {
    const [before, ms] = [await timeAsync(short), await timeAsync(long)];
    if (ms < LEAST_MS || ms < MOST * before) return;
    assert.ok(tries > 0, `${name}: ${before} ms, twice the length ${ms} ms`);
  }
}

/**
 * Functions that make texts of any length. A text repeats one or a few characters; some texts begin or end with a different character.
 *
 * @type {((n: number) => string)[]}
 */
const TEXTS = [
  ...[' ', '\n', '\t', 'a', 'A', '1', '.', '-', "'", '中', 'あ', '\u0301', '\u200b', '\u00ad', '(', '{', '"', '😀', '#', '@', '/', '_'].map(
    (one) => (/** @type {number} */ n) => one.repeat(n),
  ),
  ...['a ', 'a.', 'a-', 'A.', '1.', "a'", 'a@', '@a', '#a', '. ', 'x.y/', '((a', '. A', '\u200ba', ' \n', 'א(a'].map(
    (few) => (/** @type {number} */ n) => few.repeat(Math.ceil(n / few.length)),
  ),
  (n) => `${' '.repeat(n)}中`,
  (n) => `${' '.repeat(n)}1`,
  (n) => `${'.'.repeat(n)}a`,
  (n) => `http://${'a'.repeat(n)}`,
  (n) => `a${'.a'.repeat(n / 2)}@`,
  (n) => 'א(a) '.repeat(n / 5),
  (n) => `א${'('.repeat(n / 2)}${']'.repeat(n / 2)}`,
  (n) => `a${'('.repeat(n / 2)}א${')'.repeat(n / 2)}`,
];

let tasks = 0;

/**
 * For each text in TEXTS, compares the time of `task` with its time for twice the length. `npm test` tests half of the texts: the
 * even-numbered and the odd-numbered texts alternate from one task to the next.
 *
 * @param {string} name
 * @param {(text: string) => unknown} task
 */
function texts(name, task) {
  tasks++;
  for (const [i, make] of TEXTS.entries()) {
    if (!EVERY && (i + tasks) % 2) continue;
    const [short, long] = [make(SHORT), make(2 * SHORT)];
    compare(
      `${name}, text ${i} (${JSON.stringify(short.slice(0, 12))}...)`,
      () => task(short),
      () => task(long),
    );
  }
}

for (const [i, name] of names()
  .filter((one) => cutOf(one) === one)
  .entries()) // several names may share one splitter, so one name per splitter is tested
  oneOf(i, 2, longer)(`the tokenizer ${name} splits texts in linear time`, () => texts(name, (text) => [...splitter(name)(text)]));

longer('texts are cleaned, divided into words and divided into sentences in linear time', () => {
  texts('visible', visible);
  texts('straight', straight);
  texts('words', (text) => cut(text));
  texts('sentences', sentencesIn);
});

longer('text of both directions is laid out in linear time', () => texts('bidi', levelsOf));

/**
 * Compares the times for n items and for twice as many.
 * @template T
 * @param {string} name
 * @param {number} n
 * @param {(count: number) => T} make
 * @param {(input: T) => unknown} task
 */
function doubled(name, n, make, task) {
  const [short, long] = [make(n), make(2 * n)];
  compare(
    name,
    () => task(short),
    () => task(long),
  );
}

/** @param {number} count @param {(i: number) => any} make */
const list = (count, make) => Array.from({ length: count }, (_, i) => make(i));

longer('the header of a file: keys, lists, tensors, many pieces', () => {
  const keys = (/** @type {number} */ count) =>
    writeGGUF({ metadata: Object.fromEntries(list(count, (i) => [`general.key.${i}`, ['u32', i]])), tensors: {} });
  const strings = (/** @type {number} */ count) =>
    writeGGUF({ metadata: { list: ['array', 'string', list(count, (i) => `token ${i}`)] }, tensors: {} });
  const tensors = (/** @type {number} */ count) =>
    writeGGUF({
      metadata: {},
      tensors: Object.fromEntries(list(count, (i) => [`t${i}`, { shape: [8], type: 0, data: new Float32Array(8) }])),
    });
  const entries = (/** @type {any} */ bytes) => {
    const found = atOnce(readingEntries(bytes, true)) ?? [];
    lookupOf(found);
    return metadataOf(found);
  };
  doubled('keys', 500, keys, (bytes) => list(40, () => entries(bytes)));
  doubled('a list of texts', 50000, strings, entries);
  doubled('tensors', 1000, tensors, (/** @type {any} */ bytes) => list(20, () => atOnce(readingHead(bytes, true))));
});

test('the header of a file that arrives in small pieces is read in linear time', async () => {
  const make = (/** @type {number} */ count) =>
    writeGGUF({ metadata: { list: ['array', 'string', list(count, () => 'x'.repeat(60))] }, tensors: {} });
  const read = (/** @type {Uint8Array<ArrayBuffer>} */ bytes) =>
    readEntries(
      (async function* () {
        for (let at = 0; at < bytes.length; at += 512) yield bytes.subarray(at, at + 512);
      })(),
    );
  const [short, long] = [make(20000), make(40000)];
  await compareAsync(
    'pieces',
    () => read(short),
    () => read(long),
  );
});

test('a vocabulary: its tokens and merges, and its ids as text', () => {
  const LETTERS = list(94, (i) => String.fromCharCode(33 + i));
  const pair = (/** @type {number} */ i) => [LETTERS[i % 94], LETTERS[Math.floor(i / 94)]];
  const keys = (/** @type {number} */ count) =>
    new Map(
      Object.entries({
        'general.architecture': 'gpt2',
        'tokenizer.ggml.model': 'gpt2',
        'tokenizer.ggml.pre': 'qwen2',
        'tokenizer.ggml.tokens': [...LETTERS, ...list(count, (i) => pair(i).join(''))],
        'tokenizer.ggml.token_type': new Array(94 + count).fill(1),
        'tokenizer.ggml.merges': list(count, (i) => pair(i).join(' ')),
      }),
    );
  doubled('a vocabulary', 4400, keys, (own) => list(8, () => atOnce(Tokenizer.reading(/** @type {any} */ (own)))));
  const own = atOnce(Tokenizer.reading(/** @type {any} */ (keys(2000))));
  doubled(
    'ids as text',
    400000,
    (count) => list(count, (i) => i % own.size),
    (ids) => own.decode(ids),
  );
});

test('the words of a chain or a tree, and a saved state, are read in linear time', () => {
  const { metadata } = readGGUF(new Uint8Array(readFileSync(`${GOLDEN}chain-crf-tiny.gguf`)));
  const features = new Features(new Map(Object.entries(metadata).filter(([key]) => key.startsWith('chain.'))));
  doubled(
    'words',
    60000,
    (count) => list(count, (i) => `Word${i % 97}`),
    (words) => features.ids(words),
  );
  doubled(
    'a word',
    1 << 19,
    (count) => ['a'.repeat(count)],
    (words) => features.ids(words),
  );
  const state = (/** @type {number} */ count) => ({
    ids: list(count, (i) => i),
    length: count,
    shape: {},
    layout: 1,
    bytes: new Uint8Array(64 * count),
  });
  doubled('a state', 1 << 18, state, (/** @type {any} */ given) => atOnce(hashing(given)));
});

/** A canvas that measures text and paints nothing. */
const canvas = () => {
  const context = new Proxy(
    {},
    {
      get: (_, name) => (name === 'measureText' ? (/** @type {string} */ text) => ({ width: 7 * text.length }) : () => {}),
      set: () => true,
    },
  );
  return /** @type {any} */ ({ width: 600, height: 300, getContext: () => context });
};

/** @param {any} sheet @param {any[]} steps */
function painted(sheet, steps) {
  for (const step of steps) sheet.add(step);
  sheet.paint();
  sheet.close();
}

const TEXTS_SHOWN = ['a', ' ', 'ab ', 'あ', 'א(', '\n', '('].filter((_, i) => EVERY || i % 2 === 0);

/** Returns a canvas on which any number of lines fit. */
const tall = () => Object.assign(canvas(), { height: 1 << 24 });

const TOOLS = { canvas, doubled, list, painted, tall };
/** The sheets of every kind, by name. A sheet is a class that paints results on a canvas. */
const SHEETS = Object.assign({}, ...Object.values(rowsOf('sheets')).filter((own) => typeof own !== 'string'));

/** The tests that the folders of the model kinds define, by title. Several kinds may define parts of the same test. */
const PARTS = Object.values(rowsOf('scaling')).flatMap((own) => (typeof own === 'string' ? [] : Object.entries(own)));
for (const title of new Set(PARTS.map(([name]) => name)))
  test(title, async () => {
    for (const [name, run] of PARTS) if (name === title) await run(TOOLS);
  });

/** Returns the path and the text of each source file of the library. */
async function sources() {
  const folder = new URL('../../web/lib/', import.meta.url);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.js')).sort();
  return Promise.all(paths.map(async (path) => /** @type {const} */ ([path, await readFile(new URL(path, folder), 'utf8')])));
}

test('this file tests every sheet', async () => {
  const found = (await sources()).flatMap(([, source]) => [...source.matchAll(/^export class (\w+) extends (?:Sheet|Timeline)\b/gm)]);
  assert.deepEqual(
    Object.keys(SHEETS).sort(),
    found
      .map(([, name]) => name)
      .filter((name) => name !== 'Timeline')
      .sort(),
  );
});

longer('sheets show many steps, or one large step, in linear time', async () => {
  for (const show of Object.values(SHEETS)) await show({ ...TOOLS, texts: TEXTS_SHOWN });
});

/**
 * The modules of the library that read files. Each value is the name of the test in this file that doubles the input of the module, or the
 * reason why there is no such test.
 */
const READERS = {
  'gguf/header.js': 'the header of a file: keys, lists, tensors, many pieces',
  'gguf/sniff.js': 'reads the first 512 bytes',
  'engine/describe.js': 'the header of a file: keys, lists, tensors, many pieces',
  'engine/layout.js': 'reads structures of C',
  'load/disk.js': 'reads bytes as they are',
  'load/large.js': 'reads bytes as they are',
  'load/source.js': 'reads bytes as they are',
  'load/split-files.js': 'reads the headers of the parts, and bytes as they are',
  'media/picture-file.js': 'the browser decodes pictures',
  'media/wav.js': 'MIDI files with many notes, and WAV files with many samples',
  ...Object.fromEntries(
    Object.entries(rowsOf('readers')).flatMap(([kind, own]) =>
      typeof own === 'string' ? [] : Object.entries(own).map(([path, why]) => [`kinds/${kind}/${path}`, why]),
    ),
  ),
};

test('this file tests every module that reads files, or gives a reason why not', async () => {
  const found = (await sources()).filter(([, source]) =>
    /^export (?:async )?(?:function\*? |const )(?:read(?:ing)?[A-Z]|open(?!Model)[A-Z]|decoded?\b|headerProblem)/m.test(source),
  );
  assert.deepEqual(
    Object.keys(READERS).sort(),
    found.map(([path]) => path),
  );
});

const ROWS = Object.entries(named(rowsOf('doubling')));

test('this file tests every verb of every kind', () => {
  const verbs = KINDS.filter(({ name }) => NAMES.includes(name)).flatMap(({ name, verbs }) =>
    Object.keys(verbs).map((verb) => `${name}.${verb}`),
  );
  assert.deepEqual([...new Set(ROWS.map(([name]) => name.split(',')[0]))].sort(), verbs.sort());
});

/** Waits for the result of a verb; a rejection counts as a result too. @param {() => any} ask */
async function answered(ask) {
  try {
    const answer = await ask();
    await answer?.result?.();
  } catch (error) {
    if (!(error instanceof NextPixelError)) throw error;
  }
}

let count = 0;
for (const [name, row] of ROWS) {
  if (typeof row === 'string') continue;
  oneOf(count++, 8)(`inputs of verbs are read in linear time: ${name}`, async () => {
    const model = /** @type {any} */ (await load(weightsOf(row.file)));
    try {
      const verb = /** @type {string} */ (name.match(/\.(\w+)/)?.[1]);
      const [short, long] = [row.make(row.n, model.info), row.make(2 * row.n, model.info)];
      await compareAsync(
        name,
        () => answered(() => model[verb](...short)),
        () => answered(() => model[verb](...long)),
      );
    } finally {
      model.close();
    }
  });
}

/** Returns the paths of the lists and strings in a saved run. @param {any} thing @returns {string[][]} */
const listsIn = (thing) =>
  Array.isArray(thing) || typeof thing === 'string'
    ? [[]]
    : typeof thing === 'object' && thing !== null
      ? Object.keys(thing).flatMap((key) => listsIn(thing[key]).map((way) => [key, ...way]))
      : [];

/**
 * Returns a copy of a saved run in which the list or string at this path has length n.
 *
 * @param {any} thing
 * @param {string[]} way
 * @param {number} n
 * @returns {any}
 */
function lengthened(thing, [key, ...way], n) {
  if (key !== undefined) return { ...thing, [key]: lengthened(thing[key], way, n) };
  if (typeof thing === 'string') return 'a'.repeat(n);
  return Array.from({ length: n }, (_, i) => (thing.length > 0 ? thing[i % thing.length] : 0));
}

for (const [i, [name, { file, options, input }]] of Object.entries(named(rowsOf('verbs'))).entries()) {
  oneOf(i, 14)(`a saved run is resumed in linear time: ${name}`, async () => {
    const model = /** @type {any} */ (await load(weightsOf(file)));
    try {
      const verb = /** @type {string} */ (name.match(/\.(\w+)/)?.[1]);
      const run = model[verb](
        ...(input ? [input(model.info)] : verb === 'walk' ? [1, 2] : []),
        verb === 'walk' ? options : { seed: 1, ...options },
      );
      for await (const step of run) if (step) break;
      if (!run.save) return;
      const saved = JSON.parse(JSON.stringify(run.save()));
      for (const way of listsIn(saved)) {
        const resumed = (/** @type {number} */ n) => {
          const given = lengthened(saved, way, n);
          return () => answered(() => model.resume(given));
        };
        // lengthens the list until the time can be compared; a list that is rejected takes no time at any length
        let n = 1 << 10;
        while (n < 1 << 18 && (await timeAsync(resumed(2 * n))) < LEAST_MS) n *= 4;
        await compareAsync(`${name}, saved, ${way.join('.')}`, resumed(n), resumed(2 * n));
      }
    } finally {
      model.close();
    }
  });
}
