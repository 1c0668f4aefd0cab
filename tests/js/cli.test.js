// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the command-line program in the repository. package.test.js tests the program in the packed tarball, and documents.test.js runs the
 * commands in the chapter "Numbers" of the manual.
 */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { ROOT } from './helpers.js';
import { toyModel } from './toy.js';
import { toyText } from './toy-text.js';

/** @type {string} */
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nextpixel-cli-'));
  await writeFile(join(folder, 'text.gguf'), toyText({ context: 64 }));
  await writeFile(join(folder, 'picture.gguf'), toyModel());
});
after(() => rm(folder, { recursive: true, force: true }));

/**
 * @param {string[]} args
 * @param {string} [input]
 * @param {string} [cwd]
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>}
 */
const cli = (args, input = '', cwd = folder) =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [`${ROOT}web/cli/nextpixel.js`, ...args], { cwd, timeout: 60000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
/** @param {string} text */
const lines = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('info, generate and score print the same as the library', async () => {
  const model = await load(toyText({ context: 64 }));
  assert.equal(lines((await cli(['info', 'text.gguf'])).stdout)[0].kind, 'text');
  const run = model.generate('ab', { seed: 3, maxTokens: 8 });
  assert.equal((await cli(['generate', 'text.gguf', 'ab', '--seed', '3', '--max-tokens', '8'])).stdout, `${await run.text()}\n`);
  assert.deepEqual(
    lines((await cli(['generate', 'text.gguf', '-', '--seed', '3', '--max-tokens', '8', '--json'], 'ab')).stdout).map(({ token }) => token),
    [...run.ids].slice(run.promptLength),
  );
  const texts = ['ab abc', 'a, "b"'];
  const expected = await model.score(texts);
  const { stdout, stderr } = await cli(['score', 'text.gguf', '--elements', '--workers', '2'], `${texts.join('\n')}\n`);
  assert.deepEqual(
    lines(stdout).map(({ input, nats, each }) => [input, nats, each]),
    expected.map(({ nats, perToken }, i) => [texts[i], nats, [...perToken]]),
  );
  assert.match(stderr, /^opening text\.gguf\n$/);
  const { stdout: csv } = await cli(['score', 'text.gguf', '--csv', ...texts]);
  assert.equal(
    csv,
    `input,nats,elements,natsPerElement\n${expected.map(({ nats, natsPerToken, tokens }, i) => `${['ab abc', '"a, ""b"""'][i]},${nats},${tokens.length},${natsPerToken}\n`).join('')}`,
  );
  model.close();
});

test('a picture is drawn into a file, and scored', async () => {
  assert.equal((await cli(['generate', 'picture.gguf', '--seed', '1', '--out', 'drawn.ppm'])).code, 0);
  assert.match((await readFile(join(folder, 'drawn.ppm'))).toString('latin1'), /^P6\n8 8\n255\n/);
  const model = await load(toyModel());
  const [picture] = await model.generate({ seed: 1 }).pictures();
  const { nats } = await model.score(picture);
  assert.equal(lines((await cli(['score', 'picture.gguf', 'drawn.ppm'])).stdout)[0].nats, nats);
  model.close();
});

test('compare prints the mean difference between the costs of the same inputs in two models, and its standard error', async () => {
  const { stdout } = await cli(['compare', 'text.gguf', 'text.gguf'], 'ab\nabc\ncab\n');
  assert.deepEqual(lines(stdout), [{ file: 'text.gguf', other: 'text.gguf', n: 3, mean: 0, standardError: 0 }]);
});

test('errors are printed on stderr, with an exit code', async () => {
  for (const [args, code, message] of /** @type {[string[], number, RegExp][]} */ ([
    [[], 2, /a command is missing/],
    [['frob', 'x'], 2, /there is no command frob/],
    [['info'], 2, /info needs a FILE/],
    [['info', 'text.gguf', '--frob'], 2, /--frob/],
    [['generate', 'text.gguf', 'a', '--seed', 'x'], 2, /--seed must be a number, not x/],
    [['score', 'picture.gguf'], 2, /name the picture files/],
    [['compare', 'text.gguf'], 2, /needs two files/],
    [['score', 'text.gguf'], 2, /nothing to score/],
    [['info', 'none.gguf'], 1, /none\.gguf cannot be read: ENOENT/],
    [['generate', 'text.gguf', 'a', '--temperature=-1'], 1, /temperature/],
    [['score', 'picture.gguf', 'text.gguf'], 1, /not a binary 8-bit PPM/],
  ])) {
    const said = await cli(args);
    assert.deepEqual([said.code, said.stdout], [code, ''], args.join(' '));
    assert.match(said.stderr, message);
  }
  assert.match((await cli(['--help'])).stdout, /^nextpixel info FILE/);
});

test('serve answers on 127.0.0.1 until it is stopped', async () => {
  const child = spawn(process.execPath, [`${ROOT}web/cli/nextpixel.js`, 'serve', 'text.gguf', '--port', '0'], { cwd: folder });
  const address = await new Promise((resolve) => {
    child.stderr.on('data', (chunk) => {
      const [url] = /http:\S+/.exec(String(chunk)) ?? [];
      if (url) resolve(url);
    });
  });
  const ask = async (/** @type {string} */ path, /** @type {unknown} */ body) =>
    (await fetch(`${address}${path}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })).json();
  assert.equal((await ask('info', undefined)).kind, 'text');
  const [one] = await ask('score', { inputs: ['ab abc'] });
  assert.equal(one.each.reduce((/** @type {number} */ sum, /** @type {number} */ cost) => sum + cost, 0).toFixed(3), one.nats.toFixed(3));
  assert.equal((await ask('generate', { prompt: 'ab', seed: 3, maxTokens: 4 })).tokens.length, 4);
  assert.match((await ask('generate', { prompt: 'ab', temperature: -1 })).error, /temperature/);
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
});
