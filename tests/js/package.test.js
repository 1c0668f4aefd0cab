// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The package as it would be published: packed, installed in an empty folder, imported, and its types compiled against.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { ROOT } from './helpers.js';
import { toyModel } from './toy.js';

const run = promisify(execFile);
const manifest = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
const tsc = `${ROOT}node_modules/typescript/bin/tsc`;

/** What the library and its wasm may weigh, compressed: the promise of the README. */
const MAX_GZIP_BYTES = 60 * 1024;

/** @type {string} */
let folder;
/** @type {string[]} */
let packed;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  const options = {
    cwd: ROOT,
    env: { ...process.env, npm_config_loglevel: 'error', npm_config_update_notifier: 'false' },
  };
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], options);
  // What prepack prints may stand before the list.
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.search(/^\[\s*\{/m)));
  packed = files.map((/** @type {{ path: string }} */ file) => file.path);
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], {
    ...options,
    cwd: folder,
  });
});

after(() => rm(folder, { recursive: true, force: true }));

test('it holds what a page needs and nothing else', () => {
  for (const name of [
    'package.json',
    'web/lib/index.js',
    'web/lib/worker.js',
    'web/dist/nextpixel.wasm',
    'web/types/index.d.ts',
    'include/nextpixel.h',
  ]) {
    assert.ok(packed.includes(name), name);
  }
  const strays = packed.filter(
    (name) =>
      !/^(package\.json|README\.md|LICENSE|include\/nextpixel\.h|web\/(lib\/[\w-]+\.js|types\/[\w-]+\.d\.ts|dist\/\w+\.wasm))$/.test(
        name,
      ),
  );
  assert.deepEqual(strays, []);
  assert.equal(manifest.dependencies, undefined);
});

test('each export is imported in Node without a word on stderr', async () => {
  const names = Object.keys(manifest.exports).filter((name) => !/\.(json|wasm)$/.test(name));
  assert.ok(names.length >= 3);
  for (const name of names) {
    const specifier = `nextpixel${name.slice(1)}`;
    const script = `const it = await import(${JSON.stringify(specifier)}); console.log(Object.keys(it).sort().join());`;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
    assert.equal(stderr, '', specifier);
    if (name === '.') assert.equal(stdout, 'NextPixelError,load,supported\n');
  }
});

test('the installed package draws', async () => {
  await writeFile(join(folder, 'toy.gguf'), toyModel());
  await writeFile(
    join(folder, 'draw.js'),
    `
    import { load } from 'nextpixel';
    import { createRequire } from 'node:module';
    const wasmUrl = createRequire(import.meta.url).resolve('nextpixel/nextpixel.wasm');
    for (const options of [{}, { wasmUrl }]) {
      const model = await load('toy.gguf', options);
      let count = 0;
      for await (const { values } of model.generate({ seed: 1 })) count += values.length;
      console.log(count);
    }`,
  );
  const { stdout, stderr } = await run(process.execPath, ['draw.js'], { cwd: folder, timeout: 20000 });
  assert.deepEqual({ stdout, stderr }, { stdout: '64\n64\n', stderr: '' });
});

test('types: a strict consumer compiles, and mistakes do not', async () => {
  await copyFile(`${ROOT}tests/js/types/consumer.ts`, join(folder, 'consumer.ts'));
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    // Without Node's own types: pages have none.
    const { stdout } = await run(
      process.execPath,
      [
        tsc,
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
        '--lib',
        'es2022,dom,dom.iterable,dom.asynciterable',
        '--types',
        '',
        '--module',
        module,
        '--moduleResolution',
        moduleResolution,
        '--skipLibCheck',
        'false',
        '--ignoreConfig',
        'consumer.ts',
      ],
      { cwd: folder },
    ).catch((error) => ({ stdout: error.stdout }));
    assert.equal(stdout, '', module);
  }
});

test('types: library, server and tests', async () => {
  for (const config of ['tsconfig.json', 'tests/js/tsconfig.json']) {
    const { stdout } = await run(process.execPath, [tsc, '-p', config, '--noEmit'], { cwd: ROOT }).catch((error) => ({
      stdout: error.stdout,
    }));
    assert.equal(stdout, '', config);
  }
});

test("the sources stand alone: no import but their own, none of Node's that a bundler would see", async () => {
  const lib = `${ROOT}web/lib/`;
  for (const name of await readdir(lib)) {
    const source = await readFile(lib + name, 'utf8');
    for (const [, from] of source.matchAll(/^(?:import|export) (?:.*? from )?'([^']+)';$/gms))
      assert.match(from, /^\.\/[\w-]+\.js$/, `${name} imports ${from}`);
    assert.doesNotMatch(source, /https?:\/\/(?!git-lfs)|eval\(|new Function/, name);
  }
  // The literal forms that bundlers recognise.
  assert.match(await readFile(`${lib}index.js`, 'utf8'), /new URL\('\.\.\/dist\/nextpixel\.wasm', import\.meta\.url\)/);
  assert.match(
    await readFile(`${lib}platform.js`, 'utf8'),
    /new Worker\(new URL\('\.\/worker\.js', import\.meta\.url\), \{ type: 'module' \}\)/,
  );
  const lock = await readFile(`${ROOT}package-lock.json`, 'utf8');
  assert.doesNotMatch(lock, /"resolved"/);
});

/**
 * A module of the library and all that it imports.
 *
 * @param {string} name
 * @param {Set<string>} [seen]
 */
async function closure(name, seen = new Set()) {
  seen.add(name);
  const source = await readFile(`${ROOT}web/lib/${name}`, 'utf8');
  for (const [, next] of source.matchAll(/^(?:import|export) .*?from '\.\/([\w-]+\.js)'/gms))
    if (!seen.has(next)) await closure(next, seen);
  return seen;
}

test('size', async (context) => {
  const size = async (/** @type {string} */ name) =>
    gzipSync(await readFile(`${ROOT}web/${name}`), { level: 9 }).length;
  /** Each file compressed by itself and with its comments, as a static server sends it. @param {Iterable<string>} names */
  const sum = async (names) => {
    let total = 0;
    for (const name of names) total += await size(`lib/${name}`);
    return total;
  };
  const library = await closure('worker.js', await closure('index.js'));
  const element = await closure('define.js', new Set(library));
  const wasm = await size('dist/nextpixel.wasm');
  const total = (await sum(library)) + wasm;
  context.diagnostic(
    `gzip: library ${await sum(library)} bytes + wasm ${wasm} = ${total} of ${MAX_GZIP_BYTES}; the element adds ` +
      `${(await sum(element)) - (await sum(library))}`,
  );
  assert.ok(total < MAX_GZIP_BYTES);
});
