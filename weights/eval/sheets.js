// SPDX-License-Identifier: MIT
// Generates pictures with a shipped file in the wasm engine, and writes them as sheets for inspection:
//
//   node weights/eval/sheets.js weights/emoji.gguf [--data build/emoji-test.u8.gz] [--out build/emoji] [--seed 0] [--temperature 1] [--count 32] [--of 1] [--rows 16]
//
//   OUT-samples.png      64 pictures without class and without known pixels; with --of N, each picture is the likeliest of N samples
//   OUT-completions.png  for --count held-out pictures: the known upper half (or the upper --rows rows), its completion, the original
//   OUT-enlarged.png     only for a super-resolution model, for --count held-out pictures: the input, the bicubic enlargement, the model's
//                        enlargement, the original
//
// With --of 8, every picture in the sheets is the likeliest of 8 samples. With --resample 8 --resample-rows 4, the samples compete while
// they are drawn, as with the library's options resample and resampleRows. --data is a file of pictures, as for eval.js. The default is
// FILE.u8.gz, which export.py writes next to a model trained on your own pictures. If this file does not exist, the default is the small
// held-out set of the model's data set in tests/golden/. The model gets no classes.
// @ts-check
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../../web/lib/index.js';
import { picturesOf } from './kinds/picture/drawn.js';
import { readPictures, readSmallSet } from './kinds/picture/held-out.js';
import { squaresOf, writeSheet } from './sheet.js';
import { bicubic } from '../../web/pages/colour/bicubic.js';

/** @import { Picture } from './sheet.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

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
    rows: { type: 'string' },
  },
});
if (positionals.length !== 1 || !(Number(options.count) >= 1)) {
  console.error(
    'usage: node weights/eval/sheets.js FILE [--data FILE.u8.gz] [--out PREFIX] [--seed N] [--temperature T] [--count N] [--of N] [--resample N] [--resample-rows N] [--rows N]',
  );
  process.exit(2);
}
const [file] = positionals;
const out = options.out ?? `build/${path.basename(file, '.gguf')}`;
const seed = Number(options.seed);
const temperature = Number(options.temperature);
const of = Number(options.of);
const rows = options.rows === undefined ? undefined : Number(options.rows);
const contest = {
  samples: of,
  resample: Number(options.resample),
  resampleRows: options['resample-rows'] === undefined ? undefined : Number(options['resample-rows']),
};
/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`node weights/eval/sheets.js: ${message}`);
  process.exit(1);
}
for (const given of [file, options.data]) if (given !== undefined && !existsSync(given)) fail(`${given}: no such file`);
mkdirSync(path.dirname(out), { recursive: true });
const model = /** @type {AnyModel} */ (await load(path.resolve(file)).catch(({ message }) => fail(`${file}: ${message}`)));
const { info } = model;
if (info.kind !== 'picture' || !info.verbs.includes('score')) fail(`${file} does not draw pictures element by element`);
const size = info.width * info.height * info.channels;
const own = file.replace(/\.gguf$/, '.u8.gz');
const data = options.data ?? (existsSync(own) ? own : undefined);
/** @type {ReturnType<typeof readSmallSet>} */
let held;
try {
  held = data === undefined ? readSmallSet(info) : readPictures(data, info);
} catch (error) {
  fail(/** @type {Error} */ (error).message);
}
const count = Math.min(Math.floor(Number(options.count)), held.count);
const originals = Array.from({ length: count }, (_, i) => {
  const at = Math.floor((i * held.count) / count); // evenly spaced
  return held.pixels.subarray(at * size, (at + 1) * size);
});

/** @type {Picture[][]} */
const groups = [];
if (info.inputWidth > 0) {
  const small = { width: info.inputWidth, height: info.inputHeight, channels: info.channels };
  for (const [i, original] of originals.entries()) {
    const run = model.superResolve({ data: original, width: info.width, height: info.height }, { seed: seed + i, temperature, ...contest });
    const input = await run.input;
    const squares = squaresOf(input, info);
    const { pictures } = await picturesOf(model, run, of);
    groups.push([squares, bicubic(input, small, info), pictures[0], original]);
  }
  writeSheet(`${out}-enlarged.png`, groups, 4, info);
} else {
  const samples = of > 1 ? of : 8;
  for (let i = 0; groups.length < 64; i += samples) {
    const { pictures } = await picturesOf(model, model.generate({ samples, seed: seed + i, temperature, ...(of > 1 && contest) }), samples);
    groups.push(...(of > 1 ? pictures.slice(0, 1) : pictures).map((picture) => [picture]));
  }
  writeSheet(`${out}-samples.png`, groups, 8, info);
  groups.length = 0;
  for (const [i, original] of originals.entries()) {
    const run = model.complete(
      { data: original, width: info.width, height: info.height },
      { seed: seed + i, temperature, rows, ...contest },
    );
    const { pictures, given } = await picturesOf(model, run, of);
    groups.push([given, pictures[0], original]);
  }
  writeSheet(`${out}-completions.png`, groups, 4, info);
}
model.close();
