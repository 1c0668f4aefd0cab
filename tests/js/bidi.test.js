// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the layout of right-to-left text: the embedding level and the visual position of each character. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isBidirectional, levelsOf, edgesOf } from '../../web/lib/sinks/bidi.js';

/** @param {string} text */
const levels = (text) => levelsOf(text).levels.join('');
/** Returns the text with its characters in visual order, from left to right. @param {string} text */
function seen(text) {
  const { base, levels: all } = levelsOf(text);
  const places = edgesOf(
    all.map((level) => ({ level, width: 1 })),
    base,
    text.length,
  );
  /** @type {string[]} */
  const line = [];
  places.forEach((x, i) => {
    line[x] = text[i];
  });
  return line.join('');
}

test('lines with text of one direction', () => {
  for (const text of ['', 'abc 12.5', '\u05d0\u05d1', '\u4f60\u597d']) assert.equal(isBidirectional(text), text.includes('\u05d0'));
  assert.deepEqual(levelsOf('ab, 12!'), { base: 0, levels: [0, 0, 0, 0, 0, 0, 0] });
  assert.deepEqual(levelsOf('\u05d0\u05d1, \u05d2!'), { base: 1, levels: [1, 1, 1, 1, 1, 1] });
  assert.deepEqual(levelsOf('... 12'), { base: 0, levels: [0, 0, 0, 0, 2, 2].fill(0) });
  assert.equal(seen('\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd.'), '.\u05dd\u05dc\u05d5\u05e2 \u05dd\u05d5\u05dc\u05e9');
});

// In these tests, a, b and c are Latin letters; \u05d0, \u05d1 and \u05d2 are Hebrew alef, bet and gimel; \u0627 and \u0628 are Arabic
// alef and beh.
test('the order of Hebrew words within an English line, and of English words within a Hebrew line', () => {
  assert.equal(levels('a \u05d0\u05d1 \u05d2, b'), '001111000');
  assert.equal(seen('a \u05d0\u05d1 \u05d2, b'), 'a \u05d2 \u05d1\u05d0, b');
  assert.equal(levels('\u05d0 ab cd \u05d1'), '112222211');
  assert.equal(seen('\u05d0 ab cd \u05d1'), '\u05d1 ab cd \u05d0');
  assert.equal(seen('a (\u05d0 \u05d1) b'), 'a (\u05d1 \u05d0) b');
  assert.equal(levels('\u05d0 ab (3.5).'), '11222222221'); // both brackets of a pair get the same level
  assert.equal(levels('a (b \u05d0) \u05d1'), '000001001');
  assert.equal(levels('\u05d0 (a \u05d1) [b] c'), '1112111112112');
  assert.equal(seen('a \u05d0.'), 'a \u05d0.'); // the full stop has the direction of the line
});

test('the order of numbers, plus and minus signs, prices and combining marks', () => {
  assert.equal(seen('\u05d0 12 \u05d1'), '\u05d1 12 \u05d0');
  assert.equal(seen('\u05d0 3.14, 15%'), '15% ,3.14 \u05d0');
  assert.equal(seen('\u05d0 $5 \u05d1'), '\u05d1 $5 \u05d0');
  assert.equal(levels('\u05d0 a 12'), '112222'); // a number after Latin text counts as Latin
  assert.equal(seen('a \u05d0 12 b'), 'a 12 \u05d0 b');
  assert.equal(seen('\u0627 1/2 \u0628'), '\u0628 1/2 \u0627'); // rule W4 of the Unicode algorithm, applied to numbers from rule W2
  assert.equal(seen('\u0627 \u0661\u0662 \u0628'), '\u0628 \u0661\u0662 \u0627');
  assert.equal(levels('\u05d0\u05b8\u05d1\u05b4a'), '11112'); // vowel points stay with their letters
  assert.equal(levels('\u{10900}\u{10901} \u{1e900}'), '1111111'); // each Phoenician or Adlam letter takes two UTF-16 units
});

test('in a right-to-left paragraph, parts of different widths are placed from the right edge', () => {
  const parts = [
    { level: 0, width: 10 },
    { level: 1, width: 20 },
    { level: 1, width: 5 },
    { level: 0, width: 1 },
  ];
  assert.deepEqual(edgesOf(parts, 0, 100), [0, 15, 10, 35]);
  assert.deepEqual(
    edgesOf(
      [
        { level: 1, width: 10 },
        { level: 1, width: 3 },
        { level: 2, width: 7 },
        { level: 2, width: 2 },
      ],
      1,
      50,
    ),
    [40, 37, 28, 35],
  );
});
