// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the learned position embeddings on the Image Transformer page. The computations of the page must be correct, and its
 * statements about the shipped models must be true.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { apart, likeness, likenessOfPixels, placesOf, waves } from '../../web/pages/image-transformer/places.js';

/** @import { Table } from '../../web/pages/image-transformer/places.js' */

/** @param {string} name */
function read(name) {
  const { buffer, byteOffset, length } = readFileSync(new URL(`../../weights/${name}.gguf`, import.meta.url));
  return placesOf(buffer.slice(byteOffset, byteOffset + length));
}
/** Returns two similarities of rows `a` and `b`: in the trained table, and in the table before training. Rows are counted from 1.
 * @param {Table} table @param {number} a @param {number} b */
const compared = (table, a, b) => [table, waves(table.length, table[0].length)].map((one) => likeness(apart(one))[a - 1][b - 1]);

test('waves are sines and then cosines; the last wave is 10,000 times as slow as the first wave', () => {
  const table = waves(5, 8);
  assert.deepEqual([...table[0]], [0, 0, 0, 0, 1, 1, 1, 1]);
  assert.ok(Math.abs(table[3][0] - Math.sin(3)) < 1e-6);
  assert.ok(Math.abs(table[4][7] - Math.cos(4e-4)) < 1e-6);
});

test('a vector is similar to itself, and opposite to its negative', () => {
  const table = [
    [1, 2],
    [-1, -2],
    [2, -1],
  ].map((list) => Float32Array.from(list));
  assert.deepEqual(
    likeness(table).map((row) => [...row].map(Math.round)),
    [
      [1, -1, 0],
      [-1, 1, 0],
      [0, 0, 1],
    ],
  );
  const pixels = likenessOfPixels({ rows: table, cols: table }, { row: 0, col: 2 });
  assert.ok(Math.abs(pixels[0][2] - 1) < 1e-6);
  assert.ok(Math.abs(pixels[1][2]) < 1e-6, 'another row gives the opposite vector, another column the same');
});

test('the mean of all vectors is subtracted', () => {
  for (const sum of apart(
    [
      [1, 5],
      [3, 7],
    ].map((list) => Float32Array.from(list)),
  ).reduce((a, b) => a.map((x, e) => x + b[e])))
    assert.equal(sum, 0);
});

test("the page's statements about the tables of shipped models hold", () => {
  const [digits, emoji, blocks] = ['digits', 'emoji', 'cifar10-sr-2d'].map(read);
  const [margins, before] = compared(digits.cols, 1, 28);
  assert.ok(margins > 0.2 && before < 0, `first and last column: ${margins}, before ${before}`);
  const [top, begun] = compared(emoji.rows, 1, 2);
  assert.ok(top < begun - 0.2, `first and second row: ${top}, before ${begun}`);
  for (const [a, b] of [
    [1, 9],
    [9, 17],
    [1, 17],
  ]) {
    const [now, then] = compared(blocks.cols, a, b);
    assert.ok(now > then + 0.1, `columns ${a} and ${b}: ${now}, before ${then}`);
  }
});
