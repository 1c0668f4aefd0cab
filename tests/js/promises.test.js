// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the library on a page that replaces Promise with another class, as zone.js does. Async functions still return native promises. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { ROOT } from './helpers.js';

const HOSTILE = `
  const Native = Promise, then = Native.prototype.then;
  class Other {
    #own;
    constructor(body) { this.#own = new Native(body); }
    then(a, b) { return new Other((resolve, reject) => { then.call(then.call(this.#own, a, b), resolve, reject); }); }
    catch(b) { return this.then(undefined, b); }
    finally(f) { return this.then((v) => Other.resolve(f()).then(() => v), (e) => Other.resolve(f()).then(() => { throw e; })); }
    static resolve(v) { return new Other((resolve) => resolve(v)); }
    static reject(e) { return new Other((_, reject) => reject(e)); }
  }
  for (const name of ['all', 'allSettled', 'any', 'race']) Other[name] = (list) => new Other((resolve, reject) => { then.call(Native[name]([...list]), resolve, reject); });
  Other.withResolvers = Native.withResolvers?.bind(Native);
  globalThis.Promise = Other;
`;

const WAYS = `
  const { load } = await import('./web/lib/index.js');
  const { rowsOf } = await import('./tests/kinds/js.js');
  const { named } = await import('./tests/kinds/rows.js');
  const ways = named(rowsOf('promises'));
  const out = {};
  for (const [name, way] of Object.entries(ways)) out[name] = await way(load);
  console.log(JSON.stringify(out));
  process.exit();
`;

test('the results do not depend on whether Promise is replaced before or after the library is loaded', { timeout: 120000 }, async () => {
  const run = async (/** @type {string} */ code) =>
    JSON.parse((await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT })).stdout);
  const [plain, before, after] = await Promise.all([
    run(WAYS),
    run(`${HOSTILE}${WAYS}`),
    run(WAYS.replace('const ways =', `${HOSTILE} const ways =`)),
  ]);
  assert.deepEqual(before, plain);
  assert.deepEqual(after, plain);
});

test('no source checks the class of a promise', async () => {
  for (const folder of ['lib', 'shell', 'pages', 'front']) {
    for (const path of await readdir(`${ROOT}web/${folder}`, { recursive: true })) {
      if (path.endsWith('.js')) assert.doesNotMatch(await readFile(`${ROOT}web/${folder}/${path}`, 'utf8'), /instanceof Promise\b/, path);
    }
  }
});
