// SPDX-License-Identifier: MIT
// node tests/changed.js FILE ...   prints the checks and tests that changes to these files may affect. ./build.sh test-changed runs them.
// Each printed line is `format`, `wasm`, `types`, `train`, `test FILE`, or `c` with the names of C tests (`c` alone means all C tests).
// @ts-check
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMPORT = /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]|new URL\(\s*['"](\.[^'"]+\.js)['"]|`\$\{ROOT\}([\w/.-]+\.js)`/g;
const IMPORT_OF_EACH = /import\(`(\.[\w./-]*)\/\$\{\w+\}\/([\w-]+\.js)`\)/g; // matches an import of the files of this name in all subfolders

/**
 * Returns a function that calls `of` and caches its result for each file.
 *
 * @template T
 * @param {(file: string) => T} of
 */
function once(of) {
  /** @type {Map<string, T>} */
  const known = new Map();
  return (/** @type {string} */ file) => {
    if (!known.has(file)) known.set(file, of(file));
    return /** @type {T} */ (known.get(file));
  };
}

const text = once((file) => (existsSync(ROOT + file) ? readFileSync(ROOT + file, 'utf8') : ''));

/** Returns the files of a folder and its subfolders, as paths from the repository's root. @param {string} folder @returns {string[]} */
const filesOf = (folder) =>
  readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesOf(name) : [name];
  });

/** Returns the modules that a module imports directly or starts as programs. */
const importsOf = once((file) => {
  if (!file.endsWith('.js')) return [];
  const folder = path.posix.dirname(file);
  return [
    ...[...text(file).matchAll(IMPORT)].map(([, plain, url, started]) => started ?? path.posix.join(folder, plain ?? url)),
    ...[...text(file).matchAll(IMPORT_OF_EACH)].flatMap(([, at, name]) => {
      const parent = path.posix.join(folder, at);
      return filesOf(parent).filter((one) => path.posix.dirname(path.posix.dirname(one)) === parent && path.posix.basename(one) === name);
    }),
  ];
});

/** Returns a module and all modules that it imports, directly or indirectly. */
const reach = once((file) => {
  const seen = new Set([file]);
  // a loop over a Set also visits the values that are added meanwhile
  for (const one of seen) for (const imported of importsOf(one)) seen.add(imported);
  return seen;
});

/**
 * Returns the names of the C tests that the changed files affect. An empty list means all tests.
 *
 * @param {string[]} files  files of src, include, tests/c and tests/fuzz
 */
function groupsOf(files) {
  const names = files.map(
    (file) => /^src\/models\/(?:(\w+)\.c$|(\w+)\/)/.exec(file) ?? /^tests\/c\/(?:models\/)?(?:test|toy)_(\w+)\.[ch]$/.exec(file),
  );
  if (names.some((name) => !name)) return [];
  return [
    ...new Set([
      ...names.map((name) => `${name?.[1] ?? name?.[2]}:`),
      ...(files.some((file) => file.startsWith('src/')) ? ['runs:', 'searches:', 'branches:', 'golden:', 'session:'] : []),
    ]),
  ];
}

/**
 * @param {string[]} changed  paths from the repository's root
 * @returns {string[]}
 */
export function planOf(changed) {
  const c = changed.filter((file) => /^(src|include|tests\/c|tests\/fuzz)\/.*\.(c|h|mjs)$/.test(file));
  const source = c.some((file) => /^(src|include)\//.test(file));
  const pages = readdirSync(`${ROOT}web/pages`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `web/pages/${name}`);
  // A page depends on its folder and on the modules that it imports; every page also depends on the shared styles.
  const touched = pages.filter((page) => {
    const own = filesOf(page);
    return (
      own.some((file) => [...reach(file)].some((one) => changed.includes(one))) ||
      changed.some((file) => /^web\/(shell\/.*\.css|tools\/frame\.js)$/.test(file))
    );
  });
  const tests = ['tests/js', 'tests/browser'].flatMap((folder) =>
    readdirSync(ROOT + folder)
      .filter((name) => name.endsWith('.test.js'))
      .map((name) => `${folder}/${name}`),
  );
  const concerned = tests.filter((test) => {
    const own = text(test);
    return (
      [...reach(test)].some((file) => changed.includes(file)) ||
      changed.some((file) => own.includes(path.basename(file)) && !/\.(js|c|h)$/.test(file)) ||
      (source && test.startsWith('tests/js/') && reach(test).has('web/lib/engine/core.js')) || // tests that run the wasm
      touched.some((page) => own.includes(page.slice(4)) || path.basename(test) === `${path.basename(page)}.test.js`) ||
      (test === 'tests/browser/front.test.js' && changed.some((file) => file.startsWith('web/front/')))
    );
  });
  return [
    ...(source ? ['format'] : []),
    ...(c.length ? [['c', ...groupsOf(c)].join(' ')] : []),
    ...(source ? ['wasm'] : []),
    ...(changed.some((file) => /\.[jt]s$/.test(file)) ? ['types'] : []),
    ...(changed.some((file) => file.startsWith('weights/train/')) ? ['train'] : []),
    ...concerned.map((test) => `test ${test}`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(planOf(process.argv.slice(2)).join('\n'));
