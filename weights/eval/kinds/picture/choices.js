// SPDX-License-Identifier: MIT
// Draws several completions or enlargements of each held-out picture. Each of the methods below then chooses one of these samples. A person
// can judge the chosen pictures without knowing which method chose which:
//
//   node weights/eval/kinds/picture/choices.js weights/emoji.gguf|weights/emoji-sr.gguf [--out build/emoji] [--count 40] [--temperature 0.9]
//
//   OUT-choices.png    for each held-out picture: the input, the completions of the lower half
//                      (or the enlargements) that the methods chose, in random order, and the
//                      original. Each row shows two held-out pictures
//   OUT-choices.json   for each held-out picture, the methods in the order in which OUT-choices.png
//                      shows their choices; do not open this file before judging
//
// The methods are:
//   one                    the first sample
//   likeliest              the likeliest of 4 samples that compete while they are drawn (library options samples, resample)
//   middle 4, middle 16    of 4 or 16 independent samples, the one whose nats are closest to the mean nats of all 16; this mean estimates
//                          the expected nats under the model
// The script takes pictures at equal intervals from the held-out set in tests/golden, and gives the model no classes. For each method, the
// script prints the mean nats and the mean difference between neighbouring pixels in the lower half. A super-resolution model has only two
// methods: the first sample, and the likeliest of 8 competing samples, as on the model's page.
// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../../../../web/lib/index.js';
import { readSmallSet } from './held-out.js';
import { squaresOf, writeSheet } from '../../sheet.js';

/** @import { PictureRun } from '../../../../web/lib/index.js' */
/** @import { AnyModel } from '../../../../web/lib/model/of-kind.js' */

const {
  values: { out, count: wanted, temperature },
  positionals: [file],
} = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, count: { type: 'string', default: '40' }, temperature: { type: 'string', default: '0.9' } },
});
if (!file) {
  console.error('usage: node weights/eval/kinds/picture/choices.js FILE [--out PREFIX] [--count 40] [--temperature 0.9]');
  process.exit(2);
}
const prefix = out ?? `build/${path.basename(file, '.gguf')}`;
mkdirSync(path.dirname(prefix), { recursive: true });
const model = /** @type {AnyModel} */ (await load(path.resolve(file), { workers: 'auto' }));
const { info } = model;
const { width, height, channels } = info;
const size = width * height * channels;
const held = readSmallSet(info);
const enlarges = info.inputWidth > 0;
const WAYS = enlarges ? ['one', 'likeliest'] : ['one', 'likeliest', 'middle 4', 'middle 16'];
const [FEW, MANY, COMPETING] = enlarges ? [1, 1, 8] : [4, 16, 4];
const count = Math.min(Number(wanted), held.count);

/** Returns all samples of a run, by index. @param {PictureRun} run @param {number} samples @param {Uint8Array} original */
async function drawn(run, samples, original) {
  const found = Array.from({ length: samples }, () => ({ picture: Uint8Array.from(original), nats: 0 }));
  const span = size / info.positions;
  for await (const { sample, from, values, nats, anew } of run) {
    values.forEach((value, i) => {
      found[sample].picture[model.order[Math.floor((from + i) / span)] * span + ((from + i) % span)] = value;
    });
    if (anew) found[sample].nats = 0;
    for (const cost of nats) found[sample].nats += cost;
  }
  return found;
}

/** Returns the sample whose nats are closest to the value `nats`. @param {Awaited<ReturnType<typeof drawn>>} some @param {number} nats */
const nearest = (some, nats) => [...some].sort((a, b) => Math.abs(a.nats - nats) - Math.abs(b.nats - nats))[0];

/**
 * Returns the mean absolute difference, in 8-bit levels, between a pixel of the lower half and its left and upper neighbours.
 * @param {Uint8Array} picture
 */
function roughness(picture) {
  let sum = 0,
    n = 0;
  for (let y = height >> 1; y < height; y++) {
    for (let i = (y * width + 1) * channels; i < (y + 1) * width * channels; i++)
      [sum, n] = [sum + Math.abs(picture[i] - picture[i - channels]) + Math.abs(picture[i] - picture[i - width * channels]), n + 2];
  }
  return sum / n;
}

/** @type {Uint8Array[][]} */
const groups = [];
/** @type {string[][]} */
const key = [];
const sums = new Map([...WAYS, 'original'].map((way) => [way, { nats: 0, rough: 0 }]));
let state = 1;
const below = (/** @type {number} */ most) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % most;
};
for (let i = 0; i < count; i++) {
  const at = Math.floor((i * held.count) / count);
  const original = Uint8Array.from(held.pixels.subarray(at * size, (at + 1) * size));
  const image = { data: original, width, height };
  const options = { seed: i, temperature: Number(temperature) };
  /** @param {number} samples @param {number} [resample] */
  const draw = (samples, resample = 0) =>
    enlarges
      ? model.superResolve(image, { ...options, samples, resample })
      : model.complete(image, { ...options, rows: height / 2, samples, resample });
  const [all, few] = [draw(MANY), draw(COMPETING, COMPETING)];
  const [free, competing] = [await drawn(all, MANY, original), await drawn(few, COMPETING, original)];
  const expected = free.reduce((sum, { nats }) => sum + nats, 0) / MANY;
  const found = [free[0], competing[0], nearest(free.slice(0, FEW), expected), nearest(free, expected)].slice(0, WAYS.length);
  found.forEach(({ picture, nats }, k) => {
    const sum = /** @type {{ nats: number, rough: number }} */ (sums.get(WAYS[k]));
    sum.nats += nats / count;
    sum.rough += roughness(picture) / count;
  });
  /** @type {{ nats: number, rough: number }} */ (sums.get('original')).rough += roughness(original) / count;
  const order = WAYS.map((_, k) => k);
  for (let k = order.length - 1; k > 0; k--) {
    const other = below(k + 1);
    [order[k], order[other]] = [order[other], order[k]];
  }
  const given = enlarges ? squaresOf(await all.input, info) : original.slice().fill(128, size / 2);
  groups.push([given, ...order.map((k) => found[k].picture), original]);
  key.push(order.map((k) => WAYS[k]));
}
model.close();
writeSheet(`${prefix}-choices.png`, groups, 2, info);
writeFileSync(`${prefix}-choices.json`, JSON.stringify(key));
for (const [way, { nats, rough }] of sums)
  console.log(
    `${way.padEnd(10)} ${way === 'original' ? ''.padStart(12) : `${nats.toFixed(1)} nats`.padStart(12)}, neighbouring pixels differ by ${rough.toFixed(1)} of 255`,
  );
