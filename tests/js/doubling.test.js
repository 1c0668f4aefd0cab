// SPDX-License-Identifier: MIT
// @ts-check

/** Input of twice the length takes about twice the time: no cost is quadratic in a length that may be large. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { straight, visible } from '../../web/lib/base/typed.js';
import { readMidi, writeNotes } from '../../web/lib/kinds/note/midi.js';
import { sentencesIn } from '../../web/lib/kinds/text/sentences.js';
import { cutOf, names, splitter } from '../../web/lib/kinds/text/tokenizer/pre.js';
import { cut } from '../../web/lib/media/words.js';
import { openWav, writeWav } from '../../web/lib/media/wav.js';
import { levelsOf } from '../../web/lib/sinks/bidi.js';

const SHORT = 1 << 14;
/** Processor milliseconds below which a ratio means nothing: the clock and the garbage collector are too coarse. */
const LEAST_MS = 150;
/** The ratio of quadratic time. */
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

/** The growing texts: runs of one character or of a few, and their ends. @type {((n: number) => string)[]} */
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

/** @param {string} name @param {(text: string) => unknown} task */
function texts(name, task) {
  for (const [i, make] of TEXTS.entries()) {
    const [short, long] = [make(SHORT), make(2 * SHORT)];
    compare(
      `${name}, text ${i} (${JSON.stringify(short.slice(0, 12))}...)`,
      () => task(short),
      () => task(long),
    );
  }
}

for (const name of names().filter((one) => cutOf(one) === one)) // and no other prefix of one
  test(`texts of the tokenizer ${name}`, () => texts(name, (text) => [...splitter(name)(text)]));

test('texts that are cleaned, divided into words and into sentences', () => {
  texts('visible', visible);
  texts('straight', straight);
  texts('words', (text) => cut(text));
  texts('sentences', sentencesIn);
});

test('text of both directions', () => texts('bidi', levelsOf));

test('notes of a MIDI file, samples of a WAV file', () => {
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
