// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that imports between folders match the tables in CONTRIBUTING.md:
 *
 * - A table must allow each import from another folder.
 * - Each folder that a table allows must be imported by at least one file.
 * - The imports in src and in web/shell must have no cycles.
 * - In web/lib, every cycle must contain a dynamic import() and have at most two files.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { posix as path } from 'node:path';
import { test } from 'node:test';

import { ROOT } from './helpers.js';

/** @typedef {{ file: string, to: string, later: boolean }} Import  later: whether it is a dynamic import() */

const read = (/** @type {string} */ file) => readFileSync(ROOT + file, 'utf8');
const filesOf = (/** @type {string} */ folder, /** @type {RegExp} */ names) =>
  readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort();

/** Returns JavaScript without comments and without type imports. @param {string} text */
const withoutComments = (text) => text.replace(/(^|\s)\/\/.*$/gm, '$1').replace(/\/\*[^]*?\*\//g, ''); // line comments first

/** @param {string} folder @returns {Import[]} */
function scripts(folder) {
  return filesOf(folder, /\.js$/).flatMap((file) => {
    const text = withoutComments(read(file));
    const found = (/** @type {RegExp} */ pattern, later = false) =>
      [...text.matchAll(pattern)].map(([, to]) => ({ file, to: path.join(path.dirname(file), to), later }));
    return [...found(/(?:\bfrom|^import)\s+'(\.[^']+)'/gm), ...found(/\bimport\('(\.[^']+)'\)/g, true)];
  });
}

/** @returns {Import[]} */
function sources() {
  return filesOf('src', /\.[ch]$/).flatMap((file) =>
    [...read(file).matchAll(/^#include "([^"]+)"/gm)].flatMap(([, name]) => {
      const to = [path.join(path.dirname(file), name), `src/${name}`].find((one) => existsSync(ROOT + one));
      return to ? [{ file, to, later: false }] : []; // without a match, the file is a header in include/
    }),
  );
}

/** @returns {Import[]} */
function training() {
  const folder = 'weights/train';
  return filesOf(folder, /\.py$/).flatMap((file) =>
    [...read(file).matchAll(/^ *(?:from|import) (common|data|models)\b((?:\.\w+)*)/gm)].map(([, top, rest]) => ({
      file,
      to: `${folder}/${top}${rest.replaceAll('.', '/')}/_`,
      later: false,
    })),
  );
}

/**
 * Returns a table: for each folder, the folders that it may import from.
 *
 * @param {string} heading  text of the table's first cell
 */
function table(heading) {
  const [, rows] = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, 'm').exec(read('CONTRIBUTING.md')) ?? [];
  assert.ok(rows, `CONTRIBUTING.md has no table that begins with ${heading}`);
  return new Map(
    rows
      .trim()
      .split('\n')
      .map((row) => {
        const [name, , imports] = row
          .split('|')
          .slice(1)
          .map((cell) => cell.trim());
        return /** @type {[string, string[]]} */ ([name.replaceAll('`', ''), [...imports.matchAll(/`([^`]+)`/g)].map(([, one]) => one)]);
      }),
  );
}

/**
 * @param {Import[]} imports
 * @param {string} base       folder to which the names in the table are relative
 * @param {Map<string, string[]>} allowed
 */
function compare(imports, base, allowed) {
  /** Returns the table entry of the most specific folder that contains a file. In folder names, * stands for any folder. @param {string}
   * file */
  const rowOf = (file) =>
    [...allowed.keys()]
      .sort((a, b) => b.length - a.length)
      .find((row) =>
        row.endsWith('/')
          ? new RegExp(`^${row.replaceAll('*', '[^/]+')}`).test(path.relative(base, file))
          : path.relative(base, file) === row,
      );
  /** @type {Map<string, Set<string>>} */
  const used = new Map([...allowed.keys()].map((row) => [row, new Set()]));
  const bad = [];
  for (const { file, to } of imports) {
    const [from, at] = [rowOf(file), rowOf(to)];
    if (!from || !at) continue; // files outside these folders may import from anywhere
    const inOne = from === at && (!from.includes('*') || path.relative(base, file).split('/')[1] === path.relative(base, to).split('/')[1]);
    if (inOne) continue;
    used.get(from)?.add(at);
    if (!allowed.get(from)?.includes(at)) bad.push(`${file} imports ${to}, and ${from} may not import ${at}`);
  }
  assert.deepEqual([...new Set(bad)], []);
  const idle = [...allowed].flatMap(([row, names]) =>
    names.filter((name) => !used.get(row)?.has(name)).map((name) => `${row} does not import ${name}`),
  );
  assert.deepEqual(idle, [], 'remove these from CONTRIBUTING.md');
}

/** Returns the groups of files that import each other in a cycle (Tarjan 1972). @param {Import[]} imports */
function circles(imports) {
  /** @type {Map<string, string[]>} */
  const next = new Map();
  for (const { file, to } of imports) next.set(file, [...(next.get(file) ?? []), to]);
  /** @type {Map<string, number>} */
  const index = new Map();
  /** @type {Map<string, number>} */
  const low = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {string[][]} */
  const found = [];
  const get = (/** @type {Map<string, number>} */ map, /** @type {string} */ file) => map.get(file) ?? 0;
  const visit = (/** @type {string} */ file) => {
    index.set(file, index.size);
    low.set(file, get(index, file));
    stack.push(file);
    for (const to of next.get(file) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(get(low, file), get(low, to)));
    }
    if (get(low, file) === get(index, file)) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1) found.push(group);
    }
  };
  for (const file of next.keys()) if (!index.has(file)) visit(file);
  return found;
}

/** @param {string} file */
const kindOf = (file) => /^web\/lib\/kinds\/(\w+)\//.exec(file)?.[1];
/** @param {Import} one */
const betweenKinds = ({ file, to }) => kindOf(file) !== undefined && kindOf(to) !== undefined && kindOf(file) !== kindOf(to);

test('src: folders include only what the table allows, and there is no cycle', () => {
  const all = sources();
  compare(all, 'src', table('folder of `src`'));
  assert.deepEqual(circles(all), []);
});

test('web/lib: folders import only what the table allows; the only cycles are pairs of files with a dynamic import()', () => {
  const all = scripts('web/lib');
  compare(
    all.filter((one) => !betweenKinds(one)),
    'web/lib',
    table('folder of `web/lib`'),
  );
  assert.deepEqual(circles(all.filter(({ later }) => !later)), []);
  assert.deepEqual(
    circles(all).filter((group) => group.length > 2),
    [],
  );
});

test('code that is fetched later is imported through part(), so that a lost connection gives an error of the library', () => {
  // two exceptions: model.js loads the kinds, and the element loads in advance what acquire() needs
  const bare = [...filesOf('web/lib', /\.js$/), 'web/shell/library.js', ...filesOf('web/pages', /\.js$/)]
    .filter((file) => !file.endsWith('/kind.js'))
    .flatMap((file) => [...withoutComments(read(file)).matchAll(/.*\bimport\('\.[^']+'\).*/g)].map(([line]) => `${file}: ${line.trim()}`))
    .filter((line) => !line.includes('part(') && !line.startsWith("web/lib/element.js: import('./load/holders.js').catch("));
  assert.deepEqual(bare, []);
});

test('kinds do not import each other', () => {
  const pairs = new Set(
    scripts('web/lib')
      .filter(betweenKinds)
      .map(({ file, to }) => `${file.slice('web/lib/kinds/'.length)} ${to.slice('web/lib/kinds/'.length)}`),
  );
  assert.deepEqual([...pairs], [], 'code that several kinds use belongs in web/lib/media');
});

test('web/shell: folders import only what the table allows, and there is no cycle', () => {
  const all = scripts('web/shell');
  compare(all, 'web/shell', table('folder of `web/shell`'));
  assert.deepEqual(circles(all), []);
});

test('weights/train: folders import only what the table allows', () => {
  compare(training(), 'weights/train', table('folder of `weights/train`'));
});

test('these checks find a cycle and a forbidden import', () => {
  const toy = [
    ['a/x', 'b/y'],
    ['b/y', 'c/z'],
    ['c/z', 'b/y'],
    ['c/z', 'd/w'],
  ].map(([file, to]) => ({ file, to, later: false }));
  assert.deepEqual(
    circles(toy).map((group) => group.sort()),
    [['b/y', 'c/z']],
  );
  assert.throws(
    () =>
      compare(
        toy,
        '.',
        new Map([
          ['a/', []],
          ['b/', []],
        ]),
      ),
    /a\/x imports b\/y/,
  );
  assert.throws(
    () =>
      compare(
        toy,
        '.',
        new Map([
          ['a/', ['b/', 'd/']],
          ['b/', []],
          ['d/', []],
        ]),
      ),
    /a\/ does not import d\//,
  );
});

test('each page is committed once: its index.html is generated from page.html', () => {
  const files = execFileSync('git', ['ls-files', 'web'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  assert.deepEqual(
    files.filter((file) => /^web\/(pages\/[\w-]+\/)?(\w\w\/)?index\.html$/.test(file)),
    [],
  );
});
