// SPDX-License-Identifier: MIT
// @ts-check

/**
 * AlignedSheet draws a text, its translation, and bands that connect the words of the two. Tests which bands are drawn and where the texts
 * are. The texts are one above the other if each fits in one line, otherwise in two columns.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AlignedSheet } from '../../web/lib/kinds/text/aligned-sheet.js';

/**
 * Returns a fake canvas on which every letter is 0.5 em wide. The canvas records the words and bands drawn since it was last cleared.
 * @param {number} width
 * @param {number} height
 */
function fakeCanvas(width, height) {
  /** @type {{ text: string, x: number, y: number }[]} */
  let texts = [];
  /** @type {{ from: number[], to: number[] }[]} */
  let bands = [];
  /** @type {number[]} */
  let from = [];
  const context = {
    font: '',
    globalAlpha: 1,
    lineWidth: 1,
    setTransform() {},
    beginPath() {},
    stroke() {},
    clearRect() {
      texts = [];
      bands = [];
    },
    measureText: (/** @type {string} */ text) => ({ width: 0.5 * text.length * parseFloat(context.font) }),
    fillText: (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y) => texts.push({ text, x, y }),
    moveTo(/** @type {number[]} */ ...point) {
      from = point;
    },
    bezierCurveTo: (/** @type {number[]} */ ...points) => bands.push({ from, to: points.slice(4) }),
  };
  return { width, height, getContext: () => context, drawn: () => ({ texts, bands }) };
}

const SOURCE = ['one', ' two', ' three', ' four', ' five', ' six', ''];
const ROWS = [
  [0.7, 0.2, 0.1, 0, 0, 0, 0],
  [0.2, 0.5, 0.3, 0, 0, 0, 0],
  [0.03, 0, 0.97, 0, 0, 0, 0],
  [0, 0, 0, 1, 0, 0, 0],
  [0, 0, 0, 0, 1, 0, 0],
  [0, 0, 0, 0, 0, 1, 0],
];

/** @param {number} width @param {number} height */
function drawn(width, height) {
  const canvas = fakeCanvas(width, height);
  const sheet = new AlignedSheet(/** @type {any} */ (canvas), SOURCE);
  ROWS.forEach((alignment, i) => sheet.add(/** @type {any} */ ({ text: SOURCE[i].toUpperCase(), token: i, alignment })));
  sheet.end();
  return canvas.drawn();
}

test('a wide canvas shows one text above the other; a band is drawn if it is at least a third as wide as the widest band of its word', () => {
  const { texts, bands } = drawn(600, 150);
  assert.equal(new Set(texts.map(({ y }) => y)).size, 2);
  // next to a weight of 0.7, the weights 0.2 and 0.03 are too small to draw; next to 0.5, the weights 0.2 and 0.3 are drawn
  assert.equal(bands.length, 1 + 3 + 1 + 3);
  for (const { from, to } of bands) assert.ok(from[1] < to[1]);
});

test('if a text needs several lines, each word has its own line, and no band crosses a word', () => {
  const { texts, bands } = drawn(150, 200);
  assert.equal(texts.length, ROWS.length + SOURCE.length);
  const [left, right] = [texts.slice(0, ROWS.length), texts.slice(ROWS.length)];
  for (const side of [left, right]) assert.equal(new Set(side.map(({ y }) => y)).size, side.length);
  assert.ok(Math.max(...left.map(({ x }) => x)) < Math.min(...right.map(({ x }) => x)));
  assert.equal(bands.length, 8);
  for (const { from, to } of bands) assert.ok(from[0] > Math.max(...left.map(({ x }) => x)) && to[0] < right[0].x && from[0] < to[0]);
});

test('a canvas that is too narrow for two columns shows lines of several words', () => {
  const { texts } = drawn(100, 80);
  const lines = new Set(texts.map(({ y }) => y)).size;
  assert.ok(lines > 2 && lines < SOURCE.length, `${lines} lines`);
});
