// SPDX-License-Identifier: MIT
// @ts-check

/** Input of twice the length takes about twice the time: no cost is quadratic in a length that may become large. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { atOnce } from '../../web/lib/base/turns.js';
import { straight, visible } from '../../web/lib/base/typed.js';
import { readEntries, readingEntries, readingHead } from '../../web/lib/gguf/header.js';
import { lookupOf, metadataOf } from '../../web/lib/gguf/metadata.js';
import { readMidi, writeNotes } from '../../web/lib/kinds/note/midi.js';
import { Roll } from '../../web/lib/kinds/note/roll.js';
import { TagSheet } from '../../web/lib/kinds/tag/tag-sheet.js';
import { checkedTalk } from '../../web/lib/kinds/text/chat.js';
import { hashing } from '../../web/lib/kinds/text/saved-state.js';
import { sentencesIn } from '../../web/lib/kinds/text/sentences.js';
import { prompting } from '../../web/lib/kinds/text/template.js';
import { AlignedSheet } from '../../web/lib/kinds/text/aligned-sheet.js';
import { TextSheet } from '../../web/lib/kinds/text/text-sheet.js';
import { Tokenizer } from '../../web/lib/kinds/text/tokenizer.js';
import { cutOf, names, splitter } from '../../web/lib/kinds/text/tokenizer/pre.js';
import { Features } from '../../web/lib/media/features.js';
import { cut } from '../../web/lib/media/words.js';
import { openWav, writeWav } from '../../web/lib/media/wav.js';
import { Waveform } from '../../web/lib/media/waveform.js';
import { levelsOf } from '../../web/lib/sinks/bidi.js';
import { EVERY, longer, oneOf } from '../more.js';
import { readGGUF, writeGGUF } from './gguf.js';
import { GOLDEN } from './helpers.js';

const SHORT = 1 << 14;
/** Below this processor time in milliseconds, a ratio means nothing, because the clock and the garbage collector are too imprecise. */
const LEAST_MS = 150;
/** Above this ratio the time counts as quadratic. */
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

/** Texts of any length: repetitions of one or a few characters, with different ends. @type {((n: number) => string)[]} */
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
];

let tasks = 0;

/**
 * Compares texts of all forms. `npm test` takes alternately the even and the odd forms.
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
  .entries()) // takes one name for each splitter
  oneOf(i, 2, longer)(`texts of the tokenizer ${name}`, () => texts(name, (text) => [...splitter(name)(text)]));

longer('texts are cleaned, divided into words and divided into sentences', () => {
  texts('visible', visible);
  texts('straight', straight);
  texts('words', (text) => cut(text));
  texts('sentences', sentencesIn);
});

longer('text of both directions', () => texts('bidi', levelsOf));

test('MIDI files with many notes, and WAV files with many samples', () => {
  const midi = (/** @type {number} */ count) =>
    writeNotes(
      Array.from({ length: count }, (_, i) => ({ start: i, length: 1, pitch: 60, velocity: 80, voice: 'one' })),
      { ticks: 4, voices: ['one'], tempo: 100 },
    );
  const wav = (/** @type {number} */ count) => writeWav(new Float32Array(count), 8000);
  for (const [name, make, read, count] of /** @type {[string, (count: number) => Uint8Array, (bytes: any) => unknown, number][]} */ ([
    ['MIDI', midi, readMidi, 6000],
    ['WAV', wav, (bytes) => openWav(bytes).read(0, openWav(bytes).count), 1 << 19],
  ])) {
    const [short, long] = [make(count), make(2 * count)];
    compare(
      name,
      () => read(short),
      () => read(long),
    );
  }
});

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

test('many and long messages of a chat', () => {
  const template = '{% for message in messages %}<s>{{ message.role }}: {{ message.content | trim }}</s>{% endfor %}<s>assistant: ';
  const read = (/** @type {any} */ messages) =>
    atOnce(prompting(checkedTalk(messages, template, {}), { bos_token: '<s>', eos_token: '</s>' }));
  const role = (/** @type {number} */ i) => (i % 2 ? 'assistant' : 'user');
  doubled('messages', 10000, (count) => list(count, (i) => ({ role: role(i), content: `message ${i}` })), read);
  for (const text of ['a', ' ', '<s>', 'a\n', '{{'])
    doubled(
      `a message of ${JSON.stringify(text)}`,
      1 << 20,
      (count) => [{ role: 'user', content: text.repeat(count / text.length) }],
      read,
    );
});

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

test('the header of a file that arrives in small pieces', async () => {
  const make = (/** @type {number} */ count) =>
    writeGGUF({ metadata: { list: ['array', 'string', list(count, () => 'x'.repeat(60))] }, tensors: {} });
  const read = async (/** @type {Uint8Array<ArrayBuffer>} */ bytes) => {
    const before = process.cpuUsage();
    await readEntries(
      (async function* () {
        for (let at = 0; at < bytes.length; at += 512) yield bytes.subarray(at, at + 512);
      })(),
    );
    return process.cpuUsage(before).user / 1000;
  };
  const [short, long] = [make(20000), make(40000)];
  for (let tries = 3; ; tries--) {
    const [before, ms] = [await read(short), await read(long)];
    if (ms < LEAST_MS || ms < MOST * before) return;
    assert.ok(tries > 0, `pieces: ${before} ms, twice as many ${ms} ms`);
  }
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

test('the words of a chain or a tree, and a saved state', () => {
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

test('sheets: a text, its words, a translation, tags, music and a sound, in many steps or in one', () => {
  for (const text of ['a', ' ', 'ab ', 'あ', 'א(', '\n', '(']) {
    const whole = (/** @type {number} */ count) => [{ text: text.repeat(count), given: true }];
    doubled(`a text of ${JSON.stringify(text)} at once`, 1 << 16, whole, (steps) => painted(new TextSheet(canvas()), steps));
    const many = (/** @type {number} */ count) => list(count, () => ({ text, token: 1, nats: 1 }));
    doubled(`a text of ${JSON.stringify(text)}`, 1 << 14, many, (steps) => painted(new TextSheet(canvas()), steps));
    const aligned = (/** @type {number} */ count) => list(count, (i) => ({ text: i % 3 ? text : ` ${text}`, token: 1, alignment: [1] }));
    doubled(`a translation of ${JSON.stringify(text)}`, 1 << 12, aligned, (steps) => painted(new AlignedSheet(canvas(), ['a']), steps));
  }
  doubled(
    'tags',
    1 << 12,
    (count) => list(count, (i) => `word${i}`),
    (words) => {
      const tagging = { names: ['NOUN'], best: { ids: new Uint32Array(words.length) }, marginals: new Float32Array(words.length).fill(1) };
      painted(new TagSheet(canvas(), words), [tagging]);
    },
  );
  const notes = (/** @type {number} */ count) =>
    list(count, (i) => ({ time: i, events: [{ kind: 'note', voice: 'one', pitch: 60 + (i % 12), time: i, nats: 1, velocity: 80 }] }));
  doubled('music', 1 << 13, notes, (steps) =>
    painted(new Roll(canvas(), { voices: /** @type {any} */ ([{ name: 'one', low: 50, high: 80 }]), ticks: 4, bar: 16 }), steps),
  );
  const sound = (/** @type {number} */ count) => list(count, () => ({ samples: new Float32Array(64), nats: new Float32Array(64) }));
  doubled('a sound', 1 << 12, sound, (steps) => painted(new Waveform(canvas(), { sampleRate: 8000, most: 1000 }), steps));
});
