// SPDX-License-Identifier: MIT
// @ts-check

/**
 * `npm run test:all` runs everything that `npm test` leaves out. The command selects tests by a prefix of their names, so each test that
 * uses EVERY must have a name with this prefix (tests/more.js). Several test files share a process (tests/group.js). If one of them fails,
 * the others must not fail because of it, and the failed file is run again with the same selection of tests.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { parse } from 'acorn';

import { ROOT } from './helpers.js';

/** The functions of tests/more.js that add the prefix to the name of a test. */
const SELECTED = ['more', 'longer'];

/**
 * Returns the top-level statements that use EVERY (directly or through a declared name) and register a test without the prefix in its name.
 *
 * @param {string} text  the code of a test file
 * @returns {string[]}
 */
function missed(text) {
  /** @type {any[]} */
  const comments = [];
  const { body } = /** @type {any} */ (parse(text, { ecmaVersion: 'latest', sourceType: 'module', onComment: comments }));
  let code = text;
  for (const { start, end } of comments) code = code.slice(0, start) + ' '.repeat(end - start) + code.slice(end);
  const long = ['EVERY'];
  const selected = [...SELECTED];
  const has = (/** @type {string} */ one, /** @type {string[]} */ names) => new RegExp(`(?<![.\\w])(${names.join('|')})\\b`).test(one);
  // Repeats until no new names are found, because a function may be declared after the statement that uses it.
  for (let known = 0; ; known = long.length + selected.length) {
    const missing = [];
    for (const { type, start, end, declarations, id } of body) {
      const one = code.slice(start, end);
      if (type === 'ImportDeclaration') continue;
      // True if the statement uses `test`, for example in `? test : more`, or uses oneOf() without the argument `longer`.
      const plain = /(?<![.\w])test\b(?=\s*[(:)])/.test(one) || one.replace(/oneOf\([^;]*?,\s*longer,?\s*\)\(/g, '').includes('oneOf(');
      const names = [...(declarations ?? []).map((/** @type {any} */ declared) => declared.id.name), ...(id ? [id.name] : [])];
      const isSelected = !plain && has(one, selected);
      if (isSelected) selected.push(...names.filter((name) => !selected.includes(name)));
      else if (has(one, long) && (plain || names.length === 0)) missing.push(one);
      else if (has(one, long)) long.push(...names.filter((name) => !long.includes(name)));
    }
    if (known === long.length + selected.length) return missing;
  }
}

test('a test that has additional checks in test:all is reported if test:all does not select it', () => {
  for (const right of [
    "longer('a', () => loop(EVERY ? 9 : 1));",
    "const many = EVERY ? 9 : 1; longer('a', () => loop(many)); test('b', () => {});",
    "const each = (list) => longer('a', list); each(all.filter(() => EVERY));",
    "function loop() { return EVERY; } for (const i of all) oneOf(i, 2, longer)('a', loop);",
    "for (const path of EVERY ? all : []) more('a', () => /x/.test(path));",
  ])
    assert.deepEqual(missed(right), [], right);
  for (const wrong of [
    "test('a', () => loop(EVERY ? 9 : 1));",
    "const many = EVERY ? 9 : 1; test('a', () => loop(many));",
    "const each = (list) => test('a', list); each(all.filter(() => EVERY));",
    "function loop() { return EVERY; } for (const i of all) oneOf(i, 2)('a', loop);",
    "test('a', () => loop()); function loop() { return EVERY; }",
    "for (const path of all) (path ? test : longer)('a', () => EVERY);",
  ])
    assert.equal(missed(wrong).length, 1, wrong);
});

test('test:all selects the tests that have additional checks', async () => {
  const tasks = await readFile(`${ROOT}tests/tasks.sh`, 'utf8');
  assert.deepEqual(
    [...tasks.matchAll(/--test-name-pattern='([^']*)'/g)].map(([, pattern]) => pattern),
    ['^more ', '^more '],
  );
  for (const folder of ['tests/browser/', 'tests/js/']) {
    for (const name of await readdir(ROOT + folder)) {
      if (!name.endsWith('.js') || name === 'more.test.js') continue;
      const text = await readFile(ROOT + folder + name, 'utf8');
      assert.ok(!/process\.env\.EVERY|EVERY as/.test(text), `${name}: import EVERY from tests/more.js, under this name`);
      assert.deepEqual(missed(text), [], `${name}: register this test with longer() or more()`);
    }
  }
});

test('a file that fails once runs again with the same pattern of names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'again-'));
  try {
    const once = JSON.stringify(join(folder, 'once'));
    await writeFile(
      join(folder, 'a.test.js'),
      `const { test } = require('node:test'), { existsSync, writeFileSync } = require('node:fs');
      test('more one', () => { if (!existsSync(${once})) { writeFileSync(${once}, ''); throw new Error('the first time'); } });
      test('other', () => { throw new Error('not selected'); });`,
    );
    const { NODE_TEST_CONTEXT, ...env } = process.env; // otherwise the inner runner would report to the outer one
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', `. ./tests/tasks.sh; tests 60 --test-concurrency=2 --test-name-pattern='^more ' "$OUT/a.test.js"`],
      { cwd: ROOT, env: { ...env, OUT: folder } },
    );
    assert.match(stdout, /1 failed[^]*AGAIN, one at a time: a\.test\.js[^]*\n1 files, 1 tests passed, 0 failed/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('if a hook of a file fails, only the tests of this file fail, and only this file runs again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'group-'));
  try {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'a.test.js'), "import { test } from 'node:test'; test('one', () => {});");
    await writeFile(
      join(folder, 'b.test.js'),
      "import { before, test } from 'node:test'; before(() => { throw new Error('no hook') }); test('two', () => {});",
    );
    await writeFile(join(folder, 'c.test.js'), "import { test } from 'node:test'; await undefined; test('three', () => {});");
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const outer = join(folder, 'outer');
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', '. ./tests/tasks.sh; tests 60 $(node tests/group.js "$OUT/groups" 3 "$OUT"/?.test.js) || true'],
      { cwd: ROOT, env: { ...env, OUT: folder, FAILED_FILES: outer } },
    );
    assert.match(stdout, /^a\.test\.js +1 passed[^]*FAILED b\.test\.js[^]*no hook[^]*\nc\.test\.js +1 passed[^]*\n3 files, 2 tests passed/);
    assert.match(stdout, /\nAGAIN, one at a time: b\.test\.js\n/);
    assert.ok(!existsSync(outer), 'the outer run does not run b.test.js again');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
