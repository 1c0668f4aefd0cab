// SPDX-License-Identifier: MIT
// Draws sheets of what a shipped file makes, through the wasm, to be looked at:
//
//   node tests/bench/sheets.js weights/emoji.gguf [--data build/emoji-test.u8.gz] [--out build/emoji] [--seed 0] [--temperature 1] [--count 32] [--of 1]
//
//   OUT-samples.png      64 pictures from nothing: no class, no known pixel
//   OUT-completions.png  --count held-out pictures: the known upper half, its completion, the original
//   OUT-enlarged.png     of a model that enlarges, --count held-out pictures: the input, bicubic, the model's, the original
//
// --of 8 shows the likeliest of so many, which with --resample 8 --resample-rows 4 compete while they are drawn, as the options of these names have it.
// --data is as for eval.js, a file of pictures; without it what export.py wrote beside a model of one's own, FILE.u8.gz, else the model's small set of tests/golden/. The classes are not told.
// @ts-check
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../../web/lib/index.js';
import { picturesOf } from './drawn.js';
import { readPictures, readSmallSet } from './eval.js';
import { png } from './png.js';
import { bicubic } from '../../web/pages/colour/bicubic.js';

/** @typedef {Uint8Array | Uint8ClampedArray} Picture (height, width, channels) of the model's size */

const SCALE = 3;       // screen pixels of a pixel
const GAP = 2;         // screen pixels between pictures, and around them
const WIDE = 10;       // between groups
const PAPER = 128;     // grey of the gaps and of what is not known

/**
 * Writes pictures in rows, `groups` groups side by side in each.
 * @param {string} file
 * @param {Picture[][]} pictures  groups of pictures that belong together
 * @param {number} groups
 * @param {{ width: number, height: number, channels: number }} size
 */
function writeSheet(file, pictures, groups, { width, height, channels }) {
  const each = pictures[0].length;
  const [stepX, stepY] = [width * SCALE + GAP, height * SCALE + GAP];
  const gap = each > 1 ? WIDE : GAP;
  const groupWidth = each * stepX - GAP + gap;
  const sheetWidth = groups * groupWidth - gap + 2 * GAP;
  const sheetHeight = Math.ceil(pictures.length / groups) * stepY + GAP;
  const rgb = new Uint8Array(sheetWidth * sheetHeight * 3).fill(PAPER);
  pictures.forEach((group, g) => group.forEach((picture, p) => {
    const left = GAP + (g % groups) * groupWidth + p * stepX;
    const top = GAP + Math.floor(g / groups) * stepY;
    for (let y = 0; y < height * SCALE; y++) {
      for (let x = 0; x < width * SCALE; x++) {
        const from = (Math.floor(y / SCALE) * width + Math.floor(x / SCALE)) * channels;
        const to = ((top + y) * sheetWidth + left + x) * 3;
        for (let c = 0; c < 3; c++) rgb[to + c] = picture[from + (channels === 3 ? c : 0)];
      }
    }
  }));
  writeFileSync(file, png(rgb, sheetWidth, sheetHeight));
  console.log(`${file}: ${pictures.length} x ${each} pictures`);
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    out: { type: 'string' },
    seed: { type: 'string', default: '0' },
    temperature: { type: 'string', default: '1' },
    count: { type: 'string', default: '32' },
    of: { type: 'string', default: '1' },
    resample: { type: 'string', default: '0' },
    'resample-rows': { type: 'string' },
  },
});
if (positionals.length !== 1 || !(Number(options.count) >= 1)) {
  console.error('usage: node tests/bench/sheets.js FILE [--data FILE.u8.gz] [--out PREFIX] [--seed N] [--temperature T] [--count N] [--of N] [--resample N] [--resample-rows N]');
  process.exit(2);
}
const [file] = positionals;
const out = options.out ?? `build/${path.basename(file, '.gguf')}`;
const seed = Number(options.seed);
const temperature = Number(options.temperature);
const of = Number(options.of);
const contest = { samples: of, resample: Number(options.resample), resampleRows: options['resample-rows'] === undefined ? undefined : Number(options['resample-rows']) };
mkdirSync(path.dirname(out), { recursive: true });
const model = await load(path.resolve(file));
const { info } = model;
const size = info.width * info.height * info.channels;
const own = file.replace(/\.gguf$/, '.u8.gz');
const data = options.data ?? (existsSync(own) ? own : undefined);
const held = data === undefined ? readSmallSet(info) : readPictures(data, info);
const count = Math.min(Math.floor(Number(options.count)), held.count);
const originals = Array.from({ length: count }, (_, i) => {
  const at = Math.floor((i * held.count) / count);             // evenly spaced
  return held.pixels.subarray(at * size, (at + 1) * size);
});

/** @type {Picture[][]} */
const groups = [];
if (info.inputWidth > 0) {
  const small = { width: info.inputWidth, height: info.inputHeight, channels: info.channels };
  for (const [i, original] of originals.entries()) {
    const run = model.superResolve({ data: original, width: info.width, height: info.height }, { seed: seed + i, temperature, ...contest });
    const input = /** @type {Uint8Array} */ (run.input);
    const squares = Uint8Array.from({ length: size }, (_, k) => {
      const [pixel, c] = [Math.floor(k / info.channels), k % info.channels];
      const [y, x] = [Math.floor(pixel / info.width), pixel % info.width];
      const row = Math.floor((y * small.height) / info.height);
      return input[(row * small.width + Math.floor((x * small.width) / info.width)) * info.channels + c];
    });
    const { pictures } = await picturesOf(model, run, of);
    groups.push([squares, bicubic(input, small, info), pictures[0], original]);
  }
  writeSheet(`${out}-enlarged.png`, groups, 4, info);
} else {
  const samples = 8;
  for (let i = 0; i < 64; i += samples) {
    const { pictures } = await picturesOf(model, model.generate({ samples, seed: seed + i, temperature }), samples);
    groups.push(...pictures.map((picture) => [picture]));
  }
  writeSheet(`${out}-samples.png`, groups, 8, info);
  groups.length = 0;
  for (const [i, original] of originals.entries()) {
    const run = model.complete({ data: original, width: info.width, height: info.height }, { seed: seed + i, temperature, ...contest });
    const { pictures, given } = await picturesOf(model, run, of);
    groups.push([given, pictures[0], original]);
  }
  writeSheet(`${out}-completions.png`, groups, 4, info);
}
model.close();
