// SPDX-License-Identifier: MIT
// @ts-check

/** Compares right-to-left text on a canvas with the browser's layout of the same text on a page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OUT, decode, openEmpty, session } from './browser.js';

const { withPage } = session();

/**
 * The texts, in order: Hebrew; Arabic with vowels; English with Hebrew words and numbers; Hebrew with English words; Hebrew and English on
 * two lines.
 */
const TEXTS = [
  '\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd, \u05de\u05d4 \u05e9\u05dc\u05d5\u05de\u05da?',
  '\u0643\u064e\u0627\u0646\u064e \u0641\u064a \u0642\u062f\u064a\u0645 \u0627\u0644\u0632\u0645\u0627\u0646 12 \u0645\u0644\u0643\u0627.',
  'She said \u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd, twice, and paid $5 for \u05e1\u05e4\u05e8 12 \u05d9\u05e9\u05df.',
  '\u05d4\u05d9\u05d0 \u05d0\u05de\u05e8\u05d4 hello world, \u05e4\u05e2\u05de\u05d9\u05d9\u05dd \u05d1\u05beiPhone (3.14).',
  '\u05d4\u05d9\u05d4 \u05d4\u05d9\u05d4 \u05e4\u05e2\u05dd \u05de\u05dc\u05da \u05d2\u05d3\u05d5\u05dc \u05e9\u05d2\u05e8 \u05d1\u05d0\u05e8\u05de\u05d5\u05df long ago, \u05d1\u05d0\u05e8\u05e5 \u05e8\u05d7\u05d5\u05e7\u05d4 \u05de\u05d0\u05d5\u05d3.\nThe end. \u05e1\u05d5\u05e3',
];

test('words and tokens are at the positions where the browser places them', () =>
  withPage(async (page) => {
    await openEmpty(page);
    const far = await page.evaluate(async (texts) => {
      const [{ TextSheet }, { levelsOf, edgesOf }] = /** @type {any} */ (
        await Promise.all(['kinds/text/text-sheet', 'sinks/bidi'].map((name) => import(`/web/lib/${name}.js`)))
      );
      document.body.style.cssText = 'margin: 8px; font: 20px "DejaVu Sans", sans-serif';
      /** @type {any[]} */
      const all = [];
      for (const [at, text] of texts.entries()) {
        const canvas = document.body.appendChild(document.createElement('canvas'));
        canvas.style.cssText = 'display: block; width: 430px; height: 130px';
        if (at === 2) canvas.dir = 'rtl'; // the direction of the canvas must not change the direction of a paragraph
        const sheet = new TextSheet(canvas);
        const words = text.match(/\S+|\n| +/g) ?? [];
        words.forEach((word, i) => {
          // the two halves of one word are separate tokens
          const cut = i === 0 ? 2 : 0;
          if (cut) sheet.add({ text: word.slice(0, cut), given: true });
          sheet.add({ text: word.slice(cut), nats: 1 + (i % 3) });
        });
        sheet.end();
        const shown = document.body.appendChild(document.createElement('div'));
        shown.style.cssText = 'width: 430px; white-space: pre-wrap; line-height: 31px; unicode-bidi: plaintext';
        shown.textContent = text;
        const { left, top } = shown.getBoundingClientRect();
        const node = /** @type {Text} */ (shown.firstChild);
        let from = 0;
        words.forEach((word, i) => {
          const range = document.createRange();
          const [begin, end] = [from, (from += word.length)];
          if (!word.trim() || i === 0) return;
          range.setStart(node, begin);
          range.setEnd(node, end);
          const theirs = [...range.getClientRects()].filter((box) => box.width > 0);
          const ours = sheet.boxesOf(i + 1);
          const edges = (/** @type {{ x: number, width: number }[]} */ boxes, base = 0) => [
            Math.min(...boxes.map((box) => box.x - base)),
            Math.max(...boxes.map((box) => box.x - base + box.width)),
          ];
          const [a, b] = [edges(ours), edges(theirs, left)];
          const off = Math.max(
            Math.abs(a[0] - b[0]),
            Math.abs(a[1] - b[1]),
            Math.abs(ours[0].y - 31 * Math.floor((theirs[0].y - top) / 31)),
          );
          if (!(off < 1.5)) all.push([at, word, a, b, ours[0].y, theirs[0].y - top]);
        });
      }
      // Compares the position of every letter on an unbroken line with the browser's own layout.
      for (const text of [
        ...texts.flatMap((one) => one.split('\n')),
        'a (b \u05d0) \u05d1 [c]',
        '\u05d0 (a) [1] \u05d1 -2, 3/4 c',
        '12 \u05d0 (\u05d1 a) 3:4',
      ]) {
        const shown = document.body.appendChild(document.createElement('div'));
        shown.style.cssText = 'width: max-content; white-space: pre; unicode-bidi: plaintext; font-family: "DejaVu Sans Mono"';
        shown.textContent = text;
        const { base, levels } = levelsOf(text);
        const wide = [...text].map((_, i) => i).filter((i) => !/\p{M}/u.test(text[i]));
        const places = edgesOf(
          wide.map((i) => ({ level: levels[i], width: 1 })),
          base,
          wide.length,
        );
        const ours = wide
          .map((i, at) => [places[at], i])
          .sort(([a], [b]) => a - b)
          .map(([, i]) => text[i])
          .join('');
        const left = (/** @type {number} */ i) => {
          const range = document.createRange();
          range.setStart(/** @type {Text} */ (shown.firstChild), i);
          range.setEnd(/** @type {Text} */ (shown.firstChild), i + 1);
          return range.getBoundingClientRect().left;
        };
        const theirs = wide
          .map((i) => [left(i), i])
          .sort(([a], [b]) => a - b)
          .map(([, i]) => text[i])
          .join('');
        if (ours !== theirs) all.push([ours, theirs]);
      }
      return all;
    }, TEXTS);
    await page.screenshot({ path: `${OUT}bidi.png`, fullPage: true });
    assert.deepEqual(far, []);
  }));

test('a translation and its sentence each start on the side where their language starts, with bands between the words', () =>
  withPage(async (page) => {
    await openEmpty(page);
    await page.evaluate(async () => {
      const [{ AlignedSheet }, { TagSheet }] = /** @type {any} */ (
        await Promise.all(['kinds/text/aligned-sheet', 'kinds/tag/tag-sheet'].map((name) => import(`/web/lib/${name}.js`)))
      );
      document.body.style.cssText = 'margin: 8px; font: 20px "DejaVu Sans", sans-serif; color: #000; --nx-accent: #c00';
      for (const [source, target] of [
        [
          ['a', ' big', ' house', '.', ''],
          ['\u05d1\u05d9\u05ea', ' \u05d2\u05d3\u05d5\u05dc', '.'],
        ],
        [
          ['\u05d1\u05d9\u05ea', ' \u05d2\u05d3\u05d5\u05dc', ' Big', ' Ben', '.', ''],
          ['the', ' \u05d1\u05d9\u05ea', ' \u05d2\u05d3\u05d5\u05dc', ' house', '.'],
        ],
      ]) {
        const canvas = document.body.appendChild(document.createElement('canvas'));
        canvas.style.cssText = 'display: block; width: 430px; height: 150px';
        const sheet = new AlignedSheet(canvas, source);
        const asked = source.length === 5 ? [2, 1, 3] : [0, 0, 1, 2, 4];
        target.forEach((text, i) =>
          sheet.add(/** @type {any} */ ({ text, token: 0, alignment: source.map((_, j) => Number(asked[i] === j)) })),
        );
        sheet.end();
      }
      const tags = document.body.appendChild(document.createElement('canvas'));
      tags.style.cssText = 'display: block; width: 430px; height: 150px';
      const names = ['NOUN', 'ADJ'];
      const words = ['\u05d1\u05d9\u05ea', '\u05d2\u05d3\u05d5\u05dc', 'Big', 'Ben', '.'];
      const sheet = new TagSheet(tags, words);
      sheet.add(
        /** @type {any} */ ({
          names,
          best: { ids: [0, 1, 1, 0, 0] },
          marginals: words.flatMap((_, t) => (t % 2 ? [0.3, 0.7] : [0.9, 0.1])),
        }),
      );
      sheet.end();
    });
    const picture = await decode(page, await page.screenshot({ path: `${OUT}bidi-aligned.png`, fullPage: true }));
    /**
     * Returns the first and the last column that have ink in rows `from` to `to` - 1. Column 0 is the canvas's left edge.
     * @param {number} from
     * @param {number} to
     */
    const ink = (from, to) => {
      let [least, most] = [Infinity, -1];
      for (let y = from; y < to; y++)
        for (let x = 0; x < 446; x++)
          if (Math.max(...picture.at(x, y).slice(0, 3)) < 90) [least, most] = [Math.min(least, x - 8), Math.max(most, x - 8)];
      return [least, most];
    };
    const [above, below] = [ink(8, 38), ink(128, 158)];
    assert.ok(above[0] > 250 && above[1] > 420, `the Hebrew translation is on the right: ${above}`);
    assert.ok(below[0] < 10 && below[1] < 250, `the English sentence is on the left: ${below}`);
    const [english, hebrew] = [ink(158, 188), ink(278, 308)];
    assert.ok(english[0] < 10 && hebrew[1] > 420, `${english} ${hebrew}`);
  }));
