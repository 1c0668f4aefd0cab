// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the packed library in the test runners Vitest and Jest. Each runner runs the test in three environments: with Node's globals, with
 * the window of jsdom, and with the window of happy-dom. ./build.sh test-embed installs the runners from the npm registry, and runs this
 * file.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';

import { inARunner } from './in-a-runner.js';
import { TOOLS, pack, project, run, toy } from './project.js';

/** @type {string} */
let tarball;
before(async () => {
  tarball = await pack();
});

/** For each environment, some of the classes that it must have. */
const OWN = {
  node: ['URL', 'Blob', 'Response', 'ReadableStream', 'AbortController'],
  jsdom: ['URL', 'Blob', 'File', 'AbortController', 'document'],
  'happy-dom': ['URL', 'Blob', 'File', 'Response', 'ReadableStream', 'ImageData', 'AbortController', 'document'],
};

const BODY = `
${inARunner}
test('every input was passed to the library', async () => {
  const path = process.cwd() + '/toy.gguf';
  writeFileSync('seen.json', JSON.stringify(await inARunner(library, { path, bytes: readFileSync(path) })));
}, 100000);`;

/** @type {Record<string, (window: string) => { files: Record<string, string>, command: string[] }>} */
const RUNNERS = {
  vitest: (window) => ({
    files: {
      'it.test.js': `// @vitest-environment ${window}
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'vitest';
import * as library from 'nextpixel';
if (globalThis.document) await import('nextpixel/define');
${BODY}`,
    },
    command: ['vitest/vitest.mjs', 'run'],
  }),
  jest: (window) => ({
    files: {
      'package.json': '{ "name": "app", "private": true }',
      'it.test.js': `/** @jest-environment ${window === 'happy-dom' ? '@happy-dom/jest-environment' : window} */
const { readFileSync, writeFileSync } = require('node:fs');
const library = require('nextpixel');
if (globalThis.document) require('nextpixel/define');
${BODY}`,
    },
    command: ['jest/bin/jest.js', '--rootDir', '.'],
  }),
};

const PACKAGES = ['vitest', 'jest', 'jsdom', 'happy-dom', 'jest-environment-jsdom', '@happy-dom/jest-environment'];
for (const [runner, of] of Object.entries(RUNNERS)) {
  for (const [window, has] of Object.entries(OWN)) {
    test(`${runner}, ${window}`, { timeout: 120000 }, async () => {
      const {
        files,
        command: [program, ...flags],
      } = of(window);
      const folder = await project(`${runner}-${window}`, { ...files, 'toy.gguf': toy }, { tarball, packages: PACKAGES });
      await run(process.execPath, [`${TOOLS}node_modules/${program}`, ...flags], {
        cwd: folder,
        env: { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined },
      });
      const { tried, wrong } = JSON.parse(await readFile(`${folder}seen.json`, 'utf8'));
      assert.deepEqual(wrong, {});
      const lacking = runner === 'jest' && window === 'node' ? [] : has.filter((name) => !tried.includes(name));
      assert.deepEqual(lacking, []);
    });
  }
}
