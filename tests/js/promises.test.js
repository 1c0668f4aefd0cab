// SPDX-License-Identifier: MIT
// @ts-check

/** Tests a page that replaces Promise with another class, as zone.js does, although async functions still return native promises. */

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
  import { readFile } from 'node:fs/promises';
  const { load } = await import('./web/lib/index.js');
  const grey = (width, height, channels = 1) => ({ data: new Uint8Array(width * height * channels).fill(200), width, height });
  const large = grey(1024, 1024, 3);
  const few = async (run) => { const all = []; for await (const { values } of run) if (all.push(...values) > 20) break; return all.slice(0, 20); };
  const ways = {
    async superResolve() { return few((await load('weights/emoji-sr.gguf')).superResolve(large, { seed: 1 })); },
    async complete() { return few((await load('weights/digits.gguf')).complete(grey(28, 28), { rows: 26, seed: 1 })); },
    async caption() { return (await load('weights/captions.gguf')).caption(grey(64, 64, 3)).text(); },
    async translate() { return (await load('weights/de-en.gguf')).translate('Ein Hund.').text(); },
    async tag() { return (await (await load('weights/crf-en.gguf')).tag('Dogs bark.')).tags; },
    async parse() { return [...(await (await load('weights/parents-en.gguf')).parse('Dogs bark.')).heads]; },
    async blob() { return (await load('weights/chorales.gguf')).complete([{ start: 0, length: 4, pitch: 67 }], { bars: 1, seed: 1 }).notes(); },
    async text() { return (await load('tests/golden/stories260K.gguf')).generate('Once', { maxTokens: 9, seed: 1 }).text(); },
    async bytes() { return (await load(new Blob([await readFile('weights/digits.gguf')]))).generate({ seed: 1 }).pictures().then(([{ data }]) => data.length); },
  };
  const out = {};
  for (const [name, way] of Object.entries(ways)) out[name] = await way();
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
