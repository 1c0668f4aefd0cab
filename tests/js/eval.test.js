// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the evaluation command (npm run eval). The command must accept valid inputs and refuse others, and its figures must equal those
 * that the library computes.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { bicubic } from '../../web/pages/colour/bicubic.js';
import { KINDS } from '../../web/lib/kinds/index.js';
import { checkNumbers } from '../../weights/eval/eval.js';
import { readJson, readText, recordings } from '../../weights/eval/files.js';
import { rowsOf } from '../kinds/js.js';
import { more } from '../more.js';
import { DIGITS, GOLDEN, ROOT, load } from './helpers.js';
import { noise, toyModel } from './toy.js';

const run = promisify(execFile);
const COUNT = 3;
const SIDE = 4;
const BYTES = SIDE * SIDE * 3;
const toy = toyModel({
  width: SIDE,
  height: SIDE,
  channels: 3,
  levels: 256,
  output: 'dmol',
  inputWidth: 2,
  classes: ['cat', 'dog'],
});
const pixels = noise(COUNT * BYTES);
const labels = ['dog', 0, 'cat'];

/** @type {string} */
let folder;

/** @param {string[]} more */
async function evaluate(...more) {
  const { stdout } = await run(process.execPath, [`${ROOT}weights/eval/eval.js`, ...more]);
  return stdout;
}

/**
 * @param {string} name
 * @param {object} about
 * @param {Uint8Array} [bytes]
 */
async function writeSet(name, about, bytes = pixels) {
  await writeFile(join(folder, `${name}.u8.gz`), gzipSync(bytes));
  await writeFile(join(folder, `${name}.json`), JSON.stringify(about));
  return join(folder, `${name}.u8.gz`);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  await writeFile(join(folder, 'toy.gguf'), toy);
});

after(() => rm(folder, { recursive: true, force: true }));

test('bicubic: constant pictures stay constant, slopes stay straight, and scaling to the same size changes nothing', () => {
  const from = { width: 4, height: 2, channels: 3 };
  assert.ok(bicubic(new Uint8Array(24).fill(77), from, { width: 9, height: 5 }).every((value) => value === 77));
  const picture = noise(24);
  assert.deepEqual([...bicubic(picture, from, from)], [...picture]);
  const slope = Uint8Array.from({ length: 8 }, (_, i) => 20 * i);
  const large = bicubic(slope, { width: 8, height: 1, channels: 1 }, { width: 32, height: 1 });
  for (let i = 8; i < 24; i++) assert.ok(Math.abs(large[i] - 20 * ((i + 0.5) / 4 - 0.5)) <= 0.51, `${i}: ${large[i]}`);
});

test('the evaluation prints figures for a data set of pictures; if the model enlarges pictures, they include the consistency', async () => {
  const data = await writeSet('set', { width: SIDE, height: SIDE, channels: 3, labels });
  const file = join(folder, 'toy.gguf');
  const model = await load(toy);
  let rough = 0; // total roughness of the original images
  for (let i = 0; i < COUNT; i++) {
    const at = (/** @type {number} */ y, /** @type {number} */ x, /** @type {number} */ c) => pixels[i * BYTES + (y * SIDE + x) * 3 + c];
    const pairs = SIDE * (SIDE - 1) * 3;
    for (let a = 0; a < SIDE; a++)
      for (let b = 0; b < SIDE - 1; b++)
        for (let c = 0; c < 3; c++)
          rough += (Math.abs(at(a, b, c) - at(a, b + 1, c)) + Math.abs(at(b, a, c) - at(b + 1, a, c))) / (2 * pairs * COUNT);
  }
  for (const given of [false, true]) {
    let expected = 0;
    for (let i = 0; i < COUNT; i++) {
      const image = { data: pixels.subarray(i * BYTES, (i + 1) * BYTES), width: SIDE, height: SIDE };
      expected += (await model.score(image, { label: given ? labels[i] : undefined })).nats / COUNT;
    }
    const result = JSON.parse(await evaluate(file, '--data', data, '--json', ...(given ? ['--labels'] : [])));
    assert.equal(result.images, COUNT);
    assert.equal(result.labels, given);
    assert.ok(Math.abs(result.nats - expected) < 1e-9);
    assert.ok(Math.abs(result.bitsPerDim - expected / BYTES / Math.LN2) < 1e-12);
    // The images are noise, so neither enlargement agrees well with its input, but the bicubic one agrees better.
    const { psnr, bicubicPsnr, roughness } = result.consistency;
    assert.ok(Math.abs(roughness - rough) < 1e-9);
    assert.ok(psnr > 3 && psnr < bicubicPsnr && bicubicPsnr < 60, JSON.stringify(result.consistency));
  }
  // If several samples are drawn, the most probable one is evaluated, both without and with the option `resample`.
  for (const contest of [{}, { resample: 5, resampleRows: 1 }]) {
    let squares = 0,
      drawn = 0;
    for (let i = 0; i < COUNT; i++) {
      const original = pixels.subarray(i * BYTES, (i + 1) * BYTES);
      const again = () => model.superResolve({ data: original, width: SIDE, height: SIDE }, { seed: i, samples: 5, ...contest });
      const nats = new Array(5).fill(0);
      for await (const step of again()) nats[step.sample] = step.nats.reduce((sum, cost) => sum + cost, step.anew ? 0 : nats[step.sample]);
      drawn += nats.reduce((a, b) => a + b, 0) / (5 * COUNT);
      const { data: rgba } = (await again().pictures())[nats.indexOf(Math.min(...nats))];
      original.forEach((value, k) => {
        squares += (value - rgba[4 * Math.floor(k / 3) + (k % 3)]) ** 2;
      });
    }
    const more = contest.resample ? ['--resample', '5', '--resample-rows', '1'] : [];
    const { consistency } = JSON.parse(await evaluate(file, '--data', data, '--json', '--of', '5', ...more));
    assert.ok(Math.abs(consistency.temperatures[0].originalPsnr - 10 * Math.log10((255 ** 2 * COUNT * BYTES) / squares)) < 1e-9);
    assert.ok(Math.abs(consistency.temperatures[0].nats - drawn) < 1e-6, `${consistency.temperatures[0].nats} and ${drawn}`);
  }
  await assert.rejects(evaluate(file, '--data', data, '--of', '0'), /--of takes a whole number from 1 to 64/);
  model.close();
  assert.match(
    await evaluate(file, '--data', data, '--images', '1'),
    /1 images: .* bits\/dim.*\n.*2 x 2 input: PSNR .* dB at temperature 1; bicubic .* dB/,
  );
});

test('the small set of digits is read', async () => {
  const result = JSON.parse(await evaluate(DIGITS, '--images', '2', '--labels', '--json'));
  assert.ok(result.nats > 50 && result.nats < 500);
  assert.equal(result.consistency, undefined);
});

more(
  "without --data, the command uses the held-out pictures of the model's data set, or fails with an error that names the option",
  async () => {
    const emoji = JSON.parse(await evaluate(`${ROOT}weights/emoji.gguf`, '--images', '1', '--json'));
    const record = JSON.parse(await readFile(`${GOLDEN}emoji-test100.json`, 'utf8'));
    assert.ok(Math.abs(emoji.nats - record.nats_unconditional[0]) < 0.02 * record.nats_unconditional[0]);
    for (const name of ['cifar10', 'cifar10-sr', 'cifar10-sr-2d']) {
      await assert.rejects(
        evaluate(`${ROOT}weights/${name}.gguf`, '--images', '1'),
        /CIFAR-10.*pass --data build\/cifar10-test\.u8\.gz, which python3 weights\/train\/held_out\.py cifar10 build\/cifar10-test writes/,
      );
    }
    // Makes test sets with three image sizes: the size of the digits, the size of the emoji, and another size.
    const file = join(folder, 'digits.gguf');
    for (const [size, card] of /** @type {[import('./toy.js').ToyOptions, Record<string, any[]>][]} */ ([
      [{ width: 28, height: 28 }, {}],
      [{ width: 32, height: 32, channels: 3, levels: 256, output: 'dmol' }, { 'general.name': ['string', 'emoji'] }],
    ])) {
      await writeFile(file, toyModel({ ...size, blocks: 1, metadata: card }));
      await assert.rejects(evaluate(file, '--images', '1'), /held out of "noise": pass --data/);
    }
    await writeFile(file, toyModel({ width: 28, height: 28, blocks: 1, metadata: { 'nextpixel.card.dataset': ['string', 'some MNIST'] } }));
    assert.match(await evaluate(file, '--images', '1'), /1 images: /);
    await writeFile(file, toyModel({ width: 14, height: 28, metadata: { 'nextpixel.card.dataset': ['string', 'half of MNIST'] } }));
    await assert.rejects(evaluate(file, '--images', '1'), /200 images and 100 labels/);
  },
);

test('texts are read in the encodings and line ends of other programs; other bytes are refused', async () => {
  const file = join(folder, 'a text #1 50%.txt');
  const plain = 'Ein Hund läuft.\n개가 달린다.\n👩‍🚀\n';
  const windows = plain.replaceAll('\n', '\r\n');
  for (const bytes of [
    Buffer.from(plain),
    Buffer.from(`\ufeff${windows}`),
    Buffer.from(plain.replaceAll('\n', '\r')),
    Buffer.from(`\ufeff${windows}`, 'utf16le'),
    Buffer.from(`\ufeff${windows}`, 'utf16le').swap16(),
  ]) {
    await writeFile(file, bytes);
    assert.equal(readText(file), plain);
  }
  await writeFile(file, '\ufeff[1]\r\n');
  assert.deepEqual(readJson(file), [1]);
  for (const bytes of [Buffer.from([0x45, 0xe4]), Buffer.from('a b', 'utf16le'), Buffer.from([0xff, 0xfe, 0x00, 0xd8])]) {
    await writeFile(file, bytes);
    assert.throws(() => readText(file), /is not text in UTF-(8|16LE).*: save it as UTF-8$/);
  }
});

test('recordings are found in subfolders, with file extensions in any case; hidden files are skipped', async () => {
  const at = join(folder, '소리 100% #1');
  for (const name of ['b/2.WAV', 'a/1.wav', '3.wave', '._3.wav', '__MACOSX/1.wav', '.git/1.wav', 'b/@eaDir/2.WAV', 'notes.txt']) {
    await mkdir(join(at, name, '..'), { recursive: true });
    await writeFile(join(at, name), '');
  }
  assert.deepEqual(
    recordings(at),
    ['3.wave', 'a/1.wav', 'b/2.WAV'].map((name) => join(at, name)),
  );
  assert.deepEqual(recordings(join(at, '3.wave')), [join(at, '3.wave')]);
  await rm(at, { recursive: true });
  await mkdir(at);
  assert.throws(() => recordings(at), /holds no WAV file/);
});

test('options that need numbers refuse all other values', () => {
  const given = { temperatures: '1' };
  for (const [name, right, wrong] of /** @type {[string, string[], string[]][]} */ ([
    ['images', ['1', '9999999'], ['0', '-3', '2.5', 'x', '', ' ', '1e3', 'NaN', 'Infinity', '３']],
    ['of', ['1', '64'], ['0', '65', '1.5']],
    ['resample', ['0', '8'], ['-1', 'x']],
    ['resample-rows', ['1'], ['0', 'x']],
    ['beams', ['1', '16'], ['0', '17', '0.5']],
    ['length-penalty', ['0', '0.6', '.5', '1e-1'], ['', 'x', '-1', '1e400', '0,6']],
    ['temperatures', ['0', '1,0.8', '1, .5'], ['', '1,', '-1', 'x', 'NaN', '1e400']],
  ])) {
    for (const text of right) checkNumbers({ ...given, [name]: text });
    for (const text of wrong) assert.throws(() => checkNumbers({ ...given, [name]: text }), new RegExp(`^Error: --${name} takes `), text);
  }
});

test('data sets that do not fit the model are refused', async () => {
  const file = join(folder, 'toy.gguf');
  for (const [about, bytes, message] of /** @type {[object, Uint8Array, RegExp][]} */ ([
    [{ width: 5 }, pixels, /width is 5, the model's 4/],
    [{ channels: 1 }, pixels, /channels is 1/],
    [{}, pixels.subarray(1), /whole number of images/],
    [{ labels: [0] }, pixels, /3 images and 1 labels/],
  ])) {
    const data = await writeSet('wrong', about, bytes);
    await assert.rejects(evaluate(file, '--data', data), message);
  }
  const unlabelled = await writeSet('unlabelled', {});
  assert.match(await evaluate(file, '--data', unlabelled), /3 images/);
  await assert.rejects(evaluate(file, '--data', unlabelled, '--labels'), /no labels/);
  await assert.rejects(evaluate(file), /pass --data/);
});

test('every kind has an evaluation, and --help describes it', async () => {
  const help = await evaluate('--help');
  for (const { name } of KINDS) {
    const { evaluate: measure } = await import(`${ROOT}weights/eval/kinds/${name}/evaluation.js`);
    assert.equal(typeof measure, 'function', name);
    const [about] = (await readFile(`${ROOT}weights/eval/kinds/${name}/evaluation.js`, 'utf8')).split('\n').slice(1);
    assert.match(about, /^\/\/ \w/, name);
    assert.ok(help.includes(about.slice(3)), name);
  }
});

const ROWS = Object.values(rowsOf('evaluation')).flatMap((row) => (typeof row === 'string' ? [] : [row]));

more('one command serves every kind; its errors say what the command can do and what went wrong, without a stack trace', async () => {
  assert.match(
    await evaluate('--help'),
    /^Measures a shipped file[\s\S]*the class of each image[\s\S]*npm run eval -- weights\/wavenet\.gguf/,
  );
  /** @param {string[]} args */
  const said = async (...args) => {
    const { stderr, code } = await evaluate(...args).then(
      () => ({ stderr: '', code: 0 }),
      (error) => error,
    );
    assert.equal(code, 1);
    assert.match(stderr, /^npm run eval: [^\n]+\n$/); // one or two sentences and no stack trace
    return stderr;
  };
  assert.match(await said('no/such.gguf'), /no\/such\.gguf: no such file/);
  assert.match(await said(DIGITS, '--data', 'no/such'), /--data no\/such: no such file/);
  assert.match(await said(`${ROOT}README.md`), /not a GGUF file/);
  assert.match(await said(DIGITS, '--nonsense'), /--nonsense/);
  const odd = join(folder, 'odd.json');
  await writeFile(odd, '{ "a": 1 }');
  for (const { measured = [] } of ROWS)
    for (const name of measured) {
      assert.match(
        await said(`${ROOT}weights/${name}.gguf`, '--data', folder),
        /^npm run eval: --data \S+ is not what such a model is measured on \(.*\): npm run eval -- --help says/,
        name,
      );
    }
  for (const { odd: wrong = [] } of ROWS)
    for (const [name, message] of wrong) assert.match(await said(`${ROOT}weights/${name}.gguf`, '--data', odd), message);
  for (const [file, message] of [
    ['no/such.gguf', 'no/such.gguf: no such file'],
    [odd, 'not a GGUF file'],
    [`${ROOT}weights/crf-en.gguf`, 'does not draw pictures'],
  ]) {
    await assert.rejects(
      run(process.execPath, [`${ROOT}weights/eval/sheets.js`, file]),
      ({ stderr, code }) => code === 1 && /^[^\n]+\n$/.test(stderr) && stderr.includes(message),
    );
  }
  for (const { made = [] } of ROWS)
    for (const [name, make] of made) {
      assert.ok((await said(`${ROOT}weights/${name}.gguf`)).includes(make), name);
    }
  const words = join(folder, 'letters.tsv');
  await writeFile(words, 'hello\tolleh\nrow\twro\n');
  assert.match(
    await evaluate(`${ROOT}weights/opened.gguf`, '--data', words),
    /opened\.gguf: 1 of 2 words right \(50\.00 %\); wrong: row wor/,
  );
  assert.deepEqual(JSON.parse(await evaluate(`${ROOT}weights/opened-decoder.gguf`, '--data', words, '--json')), {
    file: 'opened-decoder.gguf',
    words: 2,
    right: 1,
  });
});

test('--each writes the cost of every input, and --compare prints the mean difference of two such files with its standard error', async () => {
  const [one, other] = [join(folder, 'one.csv'), join(folder, 'other.csv')];
  const command = (/** @type {string[]} */ ...args) => run(process.execPath, [`${ROOT}weights/eval/eval.js`, ...args], { cwd: ROOT });
  const { stdout } = await command('weights/fvsbn.gguf', '--images', '5', '--each', one, '--json');
  const rows = (await readFile(one, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  assert.deepEqual(rows[0], ['input', 'nats', 'elements']);
  assert.deepEqual(
    rows.slice(1).map(([input, , elements]) => [input, elements]),
    ['0', '1', '2', '3', '4'].map((i) => [i, '784']),
  );
  const mean = rows.slice(1).reduce((sum, [, nats]) => sum + Number(nats), 0) / 5;
  assert.ok(stdout.includes(String(mean).slice(0, 7)), `${stdout} ${mean}`);
  await writeFile(other, rows.map(([input, nats, elements], i) => [input, i ? Number(nats) + i : nats, elements].join()).join('\n'));
  assert.equal(
    (await command('--compare', one, other)).stdout,
    `5 inputs: the second costs 3.0000 nats more, standard error ${Math.sqrt(2.5 / 5).toFixed(4)}\n`,
  );
  await writeFile(other, 'input,nats,elements\n0,1,784\n');
  const refused = await command('--compare', one, other).catch((error) => error);
  assert.match(refused.stderr, /at least two of them: there are 5 and 1/);
});
