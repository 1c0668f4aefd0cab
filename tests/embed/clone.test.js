// SPDX-License-Identifier: MIT
// @ts-check

/**
 * In a fresh clone, follows the instructions that the README and the manual give for using the package. A clone contains neither
 * node_modules nor type declarations, so npm installs and builds them. Needs a network.
 */

import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { ROOT, run } from './project.js';

/** @type {string} */
let folder;

/** @param {string} command @param {string} cwd */
const shell = (command, cwd) =>
  run('sh', ['-c', command], {
    cwd,
    env: { ...process.env, npm_config_loglevel: 'error', npm_config_update_notifier: 'false', npm_config_prefer_offline: 'true' },
  });

/**
 * Finds the document's first block of shell commands that contains this word. Returns the lines of the block without comments.
 * @param {string} file
 * @param {string} word
 */
async function commands(file, word) {
  const blocks = [...(await readFile(ROOT + file, 'utf8')).matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block);
  const block = blocks.find((text) => text.includes(word));
  assert.ok(block, `${file} has no block of commands with ${word}`);
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*/, ''));
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nextpixel-clone-'));
  await run('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, join(folder, 'nextpixel')]);
});

after(() => rm(folder, { recursive: true, force: true }));

test('npm pack in a clean clone, and npm install in a project', { timeout: 300000 }, async () => {
  const [pack, install] = await commands('web/manual/chapters/index.md', 'npm pack');
  await shell(pack, join(folder, 'nextpixel'));
  await mkdir(join(folder, 'project'));
  await writeFile(join(folder, 'project', 'package.json'), '{ "name": "project", "private": true }');
  await shell(install, join(folder, 'project'));
  await writeFile(
    join(folder, 'project', 'draw.mjs'),
    `import { load } from 'nextpixel';
const model = await load(${JSON.stringify(`${ROOT}weights/digits.gguf`)});
console.log((await model.generate({ label: '3', seed: 1 }).pictures()).length);
model.close();`,
  );
  assert.equal((await shell('node draw.mjs', join(folder, 'project'))).stdout, '1\n');
});

test('an example runs at its original path', { timeout: 300000 }, async () => {
  const [pack] = await commands('web/examples/README.md', 'npm pack');
  await shell(pack, join(folder, 'nextpixel'));
  const example = join(folder, 'nextpixel/web/examples/node');
  await copyFile(join(folder, 'nextpixel/weights/digits.gguf'), join(example, 'digits.gguf'));
  const [, how] = /\| `node` \|[^|]*\| `([^`]+)` \|/.exec(await readFile(`${ROOT}web/examples/README.md`, 'utf8')) ?? [];
  assert.match((await shell(how, example)).stdout, /drawn\.png: 28 x 28, seed/);
  // Git ignores the packed file
  assert.equal((await run('git', ['status', '--porcelain', '--', '*.tgz'], { cwd: join(folder, 'nextpixel') })).stdout, '');
});
