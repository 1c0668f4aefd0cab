// SPDX-License-Identifier: MIT
// Paints twenty doodles: simple line drawings like those that a visitor would make. A captioning model is trained on coloured emoji, so the
// doodles test it on a style that it has never seen:
//
//   node weights/eval/kinds/caption/doodles.js build/doodles && npm run eval -- weights/captions.gguf --data build/doodles.u8.gz --show
//
// Writes OUT.u8.gz and OUT.json, which have the same format as the files that `weights/train/held_out.py scenes` writes. OUT.png shows the
// doodles on one sheet. doodles.json maps each noun to its doodle, a list of lines. A line is a list of points in a square of 100 by 100,
// joined by a smooth curve. The doodles were never used for training or to choose a setting.
// @ts-check
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeSheet } from '../../sheet.js';

const SIDE = 64;
/** In pixels: the side of the square that a doodle covers, the margin around it, and half of the width of a line. */
const COVERED = 40,
  FROM = 12,
  HALF = 0.8;

/** @typedef {[number, number][]} Line */
/** @type {Record<string, Line[]>} */
const doodles = JSON.parse(readFileSync(new URL('doodles.json', import.meta.url), 'utf8'));

/** Returns points of a Catmull-Rom spline through the points of a line. A point listed twice in a row is a corner. @param {Line} line */
function smooth(line) {
  const at = (/** @type {number} */ i) => line[Math.min(Math.max(i, 0), line.length - 1)];
  const closed = line.length > 3 && line[0].join() === line[line.length - 1].join();
  const round = (/** @type {number} */ i) => (closed ? line[(i + line.length - 1) % (line.length - 1)] : at(i));
  /** @type {Line} */
  const found = [];
  for (let i = 0; i + 1 < line.length; i++) {
    const [a, b, c, d] = [round(i - 1), at(i), at(i + 1), round(i + 2)];
    for (let t = 0; t < 1; t += 0.1) {
      const along = (/** @type {0 | 1} */ k) =>
        0.5 *
        (2 * b[k] + (c[k] - a[k]) * t + (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * t ** 2 + (3 * b[k] - a[k] - 3 * c[k] + d[k]) * t ** 3);
      found.push([along(0), along(1)]);
    }
  }
  return [...found, at(line.length - 1)];
}

/**
 * Returns the distance of the point (x, y) from the line segment from a to b.
 * @param {number} x
 * @param {number} y
 * @param {[number, number]} a
 * @param {[number, number]} b
 */
function distance(x, y, [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const t = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

/** @param {Line[]} lines @returns {Uint8Array} pixels of shape (64, 64, 3), black on white */
function painted(lines) {
  const scaled = lines.map((line) =>
    smooth(line).map(([x, y]) => /** @type {[number, number]} */ ([FROM + (x * COVERED) / 100, FROM + (y * COVERED) / 100])),
  );
  const pixels = new Uint8Array(SIDE * SIDE * 3).fill(255);
  for (let i = 0; i < SIDE * SIDE; i++) {
    const [x, y] = [(i % SIDE) + 0.5, Math.floor(i / SIDE) + 0.5];
    const nearest = Math.min(...scaled.flatMap((line) => line.slice(1).map((point, k) => distance(x, y, line[k], point))));
    pixels.fill(255 - Math.round(255 * Math.min(1, Math.max(0, HALF + 0.5 - nearest))), 3 * i, 3 * i + 3);
  }
  return pixels;
}

const [out] = process.argv.slice(2);
if (!out) {
  console.error('usage: node weights/eval/kinds/caption/doodles.js OUT');
  process.exit(2);
}
mkdirSync(path.dirname(path.resolve(out)), { recursive: true });
const pictures = Object.values(doodles).map(painted);
const box = [FROM, FROM, FROM + COVERED, FROM + COVERED];
const scenes = Object.keys(doodles).map((noun) => ({ words: [/^[aeiou]/.test(noun) ? 'an' : 'a', noun], boxes: [[], [box]] }));
writeFileSync(`${out}.u8.gz`, gzipSync(Buffer.concat(pictures)));
writeFileSync(`${out}.json`, JSON.stringify({ width: SIDE, height: SIDE, channels: 3, scenes }));
writeSheet(
  `${out}.png`,
  pictures.map((picture) => [picture]),
  10,
  { width: SIDE, height: SIDE, channels: 3 },
);
