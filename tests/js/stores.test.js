// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that the size of all data that outlives a call has a bound. This file lists every use of the browser's stores, and every map or
 * set that belongs to a module or an object, with its bound. A new store, map or set fails the test until it is listed.
 */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { rowsOf } from '../kinds/js.js';
import { ROOT } from './helpers.js';

const BOUNDS = rowsOf('bounds');

/**
 * The browser's caches, by name. Each entry has a description of the bound, the file that enforces the bound, and a regular expression that
 * matches the code that enforces it.
 *
 * @type {Record<string, [string, string, RegExp]>}
 */
const CACHES = {
  nextpixel: ['copies that differ in the query', 'lib/load/cache-admin.js', /alike\.slice\(0, -MOST_QUERIES\)/],
  'nextpixel-unfinished': ['one note for each copy', 'lib/load/unfinished.js', /cacheName: CACHE_NAME \}\)\)\) await forget\(url\)/],
  'nextpixel-page': ['two releases, and a number of files', 'sw.js', /left\.slice\(0, Math\.max\(0, left\.length - MOST\)\)/],
  'nextpixel-uses': ['one note for each open page', 'sw.js', /if \(!open\.includes\(url\)\) await uses\.delete\(url\)/],
  'nextpixel-courses': ['one list for each course that the visitor keeps', 'shell/page/page-keep.js', /caches\.delete\(COURSES\)/],
};

/** The keys of localStorage and sessionStorage. Each key has one value, which is overwritten. */
const KEYS = [
  'nextpixel-carried',
  'nextpixel-language',
  ...Object.values(BOUNDS).flatMap((own) => (typeof own === 'string' ? [] : (own.keys ?? []))),
].sort();

/**
 * The maps and sets that live as long as a module or an object. Each value in this table states the bound of one map or set. A string
 * describes the possible keys, which are limited in number. A regular expression matches the code that removes or refuses entries.
 *
 * @type {Record<string, string | RegExp>}
 */
const MAPS = {
  'lib/element.js assigned': 'names of properties',
  'lib/element.js #all': /#all\.delete\(this\)/,
  'lib/element.js #changed': 'names of attributes',
  'lib/engine/jobs.js #jobs': /#jobs\.delete\(/,
  'lib/engine/pace.js #sizes': 'kinds of work',
  'lib/load/holders.js entries': /entries\.delete\(key\)/,
  'lib/load/unfinished.js ended': /ended\.delete\(url\)/,
  'lib/media/resample.js #weights': /<= MOST_WEIGHTS/,
  'lib/model/engine.js #busy': 'workers of the model',
  'lib/runs/base-run.js #readers': /#readers\.delete\(reader\)/,
  'lib/runs/flow-run.js #asking': /#asking\.delete\(/,
  'lib/sinks/canvas.js watchers': /watchers\.delete\(watcher\)/,
  'lib/workers/link.js #jobs': /#jobs\.delete\(id\)/,
  'lib/workers/wasm.js compiled': /compiled\.size >= MOST_KEPT/,
  'manual/playground.js options': 'options of a verb',
  'pages/fvsbn/lesson.js #seen': 'digits of the file',
  'pages/fvsbn/lesson.js picked': 'pixels of a picture',
  'pages/opened/graph.js matrices': 'matrices of the model',
  'shell/model/gguf.js files': 'files of the page',
  'shell/page/address.js figures': 'figures of the page',
  'shell/page/files.js takers': 'figures of the page',
  'shell/page/in-sight.js waiting': 'parts of the page',
  'shell/page/in-sight.js shown': 'parts of the page',
  ...Object.fromEntries(
    Object.entries(BOUNDS).flatMap(([kind, own]) =>
      typeof own === 'string' ? [] : Object.entries(own.maps ?? {}).map(([name, bound]) => [`lib/kinds/${kind}/${name}`, bound]),
    ),
  ),
};

/** The scripts of the library and of the pages. @returns {Promise<[string, string][]>} */
async function sources() {
  const folders = ['lib', 'shell', 'pages', 'front', 'manual'];
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(`${ROOT}web/${folder}`, { recursive: true })).map((name) => `${folder}/${name}`)),
  );
  const paths = ['sw.js', ...names.flat().filter((name) => name.endsWith('.js') && !/make\/|node_modules/.test(name))];
  return Promise.all(paths.map(async (path) => /** @type {[string, string]} */ ([path, await readFile(`${ROOT}web/${path}`, 'utf8')])));
}

test('every map and set of a module or an object has a bound', async () => {
  /** @type {string[]} */
  const found = [];
  for (const [path, text] of await sources()) {
    // Module-level declarations are not indented; properties of a class are indented by two spaces. A WeakMap keeps no object alive, so it
    // needs no bound.
    for (const [, name] of text.matchAll(/^(?:export )?(?:(?:const|let) | {2}(?:static )?(?=[#\w]+ = ))(#?\w+) = new (?:Map|Set)\(\);/gm)) {
      const key = `${path} ${name}`;
      found.push(key);
      const row = MAPS[key];
      assert.ok(row !== undefined, `${key}: say in this test what bounds it`);
      if (row instanceof RegExp) assert.match(text, row, key);
    }
  }
  assert.deepEqual(found.sort(), Object.keys(MAPS).sort(), 'rows of what is no longer there');
});

test('every store of the browser has a bound', async () => {
  const all = await sources();
  const text = all.map(([, one]) => one).join('\n');
  /** Returns the values of all constants with this name. @param {string} name */
  const valueOf = (name) => [...text.matchAll(new RegExp(`\\b${name} = '([^']*)'`, 'g'))].map(([, value]) => value);
  const named = new Set(
    [...text.matchAll(/caches\.(?:open|delete|has)\(([\w.]+)\)|cacheName: (\w+)/g)].flatMap(([, one, other]) => valueOf(one ?? other)),
  );
  for (const name of valueOf('FILES').concat(valueOf('MODELS'))) named.add(name);
  assert.deepEqual([...named].sort(), Object.keys(CACHES).sort());
  for (const [name, [, path, bound]] of Object.entries(CACHES)) assert.match(String(all.find(([one]) => one === path)?.[1]), bound, name);
  const keys = [...text.matchAll(/(?:local|session)Storage\.(?:set|get|remove)Item\((\w+)/g)].flatMap(([, name]) =>
    all.flatMap(([, one]) =>
      new RegExp(`Storage\\.\\w+\\(${name}\\b`).test(one)
        ? [.../** @type {any} */ (one.matchAll(new RegExp(`\\b${name} = '(nextpixel[^']*)'`, 'g')))].map(([, value]) => value)
        : [],
    ),
  );
  assert.deepEqual([...new Set(keys)].sort(), KEYS);
  assert.doesNotMatch(text, /indexedDB|getDirectory\(\)|storageBuckets|BroadcastChannel/, 'another store: add its bound here');
  // The service worker deletes the weights of other releases and the records of their unfinished downloads.
  assert.match(String(all.find(([path]) => path === 'sw.js')?.[1]), /await caches\.has\(UNFINISHED\)/);
});
