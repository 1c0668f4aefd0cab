// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Compiles and installs the C library, finds it with pkg-config and with CMake, and links programs with the shared and the static library.
 */

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';

import { load } from '../../web/lib/index.js';
import { more } from '../more.js';
import { ROOT } from './helpers.js';

const run = promisify(execFile);
const BUILD = `${ROOT}build/test-c/`;
const PREFIX = `${BUILD}installed/`;

/** @param {string} command */
const there = (command) => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const missing = ['cmake', 'make', 'pkg-config', 'gcc'].filter((command) => !there(command));
const skip = missing.length > 0 && `needs ${missing.join(', ')}`;

test('the object files of all sources have different names, so that one archive can contain them', async () => {
  const names = (await readdir(`${ROOT}src`, { recursive: true })).filter((name) => name.endsWith('.c')).map((name) => basename(name));
  assert.ok(names.length > 50);
  assert.deepEqual(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  );
});

test('the version in the header equals the version of the package', async () => {
  const { version } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
  assert.match(
    await readFile(`${ROOT}include/nextpixel.h`, 'utf8'),
    new RegExp(`^#define NX_VERSION "${version.replaceAll('.', '\\.')}"$`, 'm'),
  );
});

/** Environment variables with which pkg-config finds the library. @type {Record<string, string>} */
const environment = { .../** @type {any} */ (process.env) };

before(
  async () => {
    if (skip) return;
    await rm(PREFIX, { recursive: true, force: true });
    await mkdir(BUILD, { recursive: true });
    await run('cmake', ['-S', `${ROOT}src`, '-B', `${BUILD}build`, '-DCMAKE_C_FLAGS_RELEASE=-O1'], { cwd: ROOT });
    await run('cmake', ['--build', `${BUILD}build`, '--parallel', '2'], { cwd: ROOT });
    await run('cmake', ['--install', `${BUILD}build`, '--prefix', PREFIX], { cwd: ROOT });
    const [pc] = (await readdir(PREFIX, { recursive: true })).filter((name) => name.endsWith('nextpixel.pc'));
    environment.PKG_CONFIG_PATH = PREFIX + pc.replace('nextpixel.pc', '');
  },
  { timeout: 240000 },
);

/**
 * Returns the ids and nats that the manual's example prints.
 * @param {string} program
 * @param {string} weights
 * @param {number} count
 * @param {number} seed
 */
async function printed(program, weights, count, seed) {
  const { stdout } = await run(program, [`${ROOT}weights/${weights}.gguf`, String(count), String(seed)], { env: environment });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
}

/** @param {string[]} args */
const config = async (...args) => (await run('pkg-config', [...args, 'nextpixel'], { env: environment })).stdout.trim();

test('a program linked against the installed library, shared or static, generates the same ids as the WebAssembly build', {
  skip,
  timeout: 120000,
}, async () => {
  const flags = (await config('--cflags', '--libs')).split(' ');
  const folder = await config('--variable=libdir');
  const source = `${ROOT}web/examples/c/ids.c`;
  const warnings = ['-std=c11', '-Wall', '-Wextra', '-Werror'];
  await run('gcc', [...warnings, source, ...flags, `-Wl,-rpath,${folder}`, '-o', `${BUILD}shared`]);
  await run('gcc', [
    ...warnings,
    source,
    ...flags.filter((flag) => flag.startsWith('-I')),
    `${folder}/libnextpixel.a`,
    '-lm',
    '-o',
    `${BUILD}static`,
  ]);
  const rows = await printed(`${BUILD}shared`, 'fvsbn', 60, 3);
  assert.deepEqual(await printed(`${BUILD}static`, 'fvsbn', 60, 3), rows);
  const model = await load(`${ROOT}weights/fvsbn.gguf`);
  const drawn = model.generate({ seed: 3 });
  await drawn.pictures();
  const ids = drawn.save().ids[0];
  model.close();
  assert.deepEqual(
    rows.map(([, id]) => id),
    ids.slice(0, 60),
  );
  assert.ok(rows.every(([position, , nats], i) => position === i && nats >= 0));
  const refused = await run(`${BUILD}shared`, [`${ROOT}README.md`]).catch((error) => error);
  assert.deepEqual([refused.code, refused.stderr], [1, 'ids: NX_E_FORMAT:  not a GGUF file\n']);
  const longer = await run(`${BUILD}shared`, [`${ROOT}weights/fvsbn.gguf`, '100000']).catch((error) => error);
  assert.match(longer.stderr, /^ids: NX_E_ARGUMENT: length must be at most the length of the part\n$/);
});

test("the manual's drawing program, linked with the installed library, draws the same picture as the WebAssembly build", {
  skip,
}, async () => {
  const include = (await config('--cflags')).split(' ');
  const library = `${await config('--variable=libdir')}/libnextpixel.a`;
  const program = [
    '-std=c11',
    '-Wall',
    '-Wextra',
    '-Werror',
    ...include,
    `${ROOT}web/examples/c/draw.c`,
    library,
    '-lm',
    '-o',
    `${BUILD}draw`,
  ];
  await run('gcc', program);
  const weights = `${ROOT}weights/fvsbn.gguf`;
  const { stdout } = await run(`${BUILD}draw`, [weights, `${BUILD}out.ppm`, '3']);
  assert.match(stdout, /out\.ppm: \d+ x \d+, [\d.]+ nats\n$/);
  const model = await load(weights);
  const [{ data, width, height }] = await model.generate({ seed: 3 }).pictures();
  model.close();
  const ppm = await readFile(`${BUILD}out.ppm`);
  assert.equal(ppm.toString('latin1', 0, ppm.length - 3 * width * height), `P6\n${width} ${height}\n255\n`);
  assert.deepEqual(
    [...ppm.subarray(-3 * width * height)],
    [...data].filter((_, i) => i % 4 < 3),
  );
  const failed = await run(`${BUILD}draw`, [`${ROOT}README.md`, `${BUILD}out.ppm`]).catch((error) => error);
  assert.deepEqual([failed.code, failed.stderr], [1, 'draw: cannot open the weights (not a GGUF file)\n']);
});

test('the shared library exports exactly the functions of the header', { skip }, async () => {
  const { stdout } = await run('nm', ['-D', '--defined-only', `${await config('--variable=libdir')}/libnextpixel.so`]);
  const exported = [...stdout.matchAll(/ T (\w+)$/gm)]
    .map(([, name]) => name)
    .filter((name) => !name.startsWith('_'))
    .sort();
  const header = await readFile(`${ROOT}include/nextpixel.h`, 'utf8');
  const declared = [...header.matchAll(/^NX_API(?:_\w+)? [\w *]+?\b(nx_\w+)\(/gm)].map(([, name]) => name).sort();
  assert.ok(declared.length > 40);
  assert.deepEqual(exported, declared);
});

test('CMake finds the installed library', { skip, timeout: 60000 }, async () => {
  const folder = `${BUILD}found`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(
    `${folder}/CMakeLists.txt`,
    `cmake_minimum_required(VERSION 3.16)
project(mine LANGUAGES C)
find_package(nextpixel ${await config('--modversion')} REQUIRED)
add_executable(mine ${ROOT}web/examples/c/ids.c)
target_link_libraries(mine nextpixel::nextpixel)
`,
  );
  await run('cmake', ['-S', folder, '-B', `${folder}/build`, `-DCMAKE_PREFIX_PATH=${PREFIX}`]);
  await run('cmake', ['--build', `${folder}/build`]);
  assert.equal((await printed(`${folder}/build/mine`, 'fvsbn', 3, 1)).length, 3);
});

/** The command of a Python installation that has NumPy. */
const python = ['python3', '/usr/bin/python3'].find((command) => {
  try {
    execFileSync(command, ['-c', 'import numpy'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

test('the Python package passes its tests, and its examples run on shipped files', {
  skip: skip || (!python && 'needs Python 3 with NumPy'),
  timeout: 120000,
}, async () => {
  const env = {
    ...environment,
    NEXTPIXEL_LIBRARY: `${await config('--variable=libdir')}/libnextpixel.so`,
    PYTHONPATH: `${ROOT}src/python`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const py = (/** @type {string[]} */ ...args) => run(/** @type {string} */ (python), args, { cwd: ROOT, env });
  assert.match((await py('src/python/test_nextpixel.py')).stderr, /^OK$/m);
  const { stdout: compared } = await py('src/python/examples/pixels.py', 'weights/fvsbn.gguf', 'weights/image-transformer-digits-bw.gguf');
  assert.match(compared, /^bits a picture: [\d.]+ [\d.]+\ndifference: -?[\d.]+, standard error [\d.]+\n$/);
  const { stdout: told } = await py('src/python/examples/tokens.py', 'weights/stories.gguf');
  assert.match(told, /^<\|endoftext\|> -> Once 0\.\d{3}, [^]*attention \(20, 5, 5\)\nhidden states \(\d+, 5, \d+\) \[[\d. ]+\]\n$/);
  const found = await run(/** @type {string} */ (python), ['-c', 'import nextpixel'], {
    env: { ...env, NEXTPIXEL_LIBRARY: '/nowhere.so' },
  }).catch((error) => error);
  assert.match(found.stderr, /was not found \(tried \/nowhere\.so\): install it with CMake, or set NEXTPIXEL_LIBRARY/);
});

/** Returns whether pip can build the package without a network. */
const builds = () => {
  try {
    execFileSync(/** @type {string} */ (python), ['-c', 'import ensurepip, setuptools, wheel'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

more(
  'pip installs the Python package without a network, as the manual says',
  {
    skip: skip || (!(python && builds()) && 'needs Python 3 with NumPy, venv, setuptools and wheel'),
    timeout: 120000,
  },
  async () => {
    const [, options] =
      /^pip install (--no-build-isolation .*) \.\/src\/python$/m.exec(await readFile(`${ROOT}web/manual/chapters/c.md`, 'utf8')) ?? [];
    assert.ok(options, 'the chapter on C gives the options');
    const [source, fresh] = [`${BUILD}python`, `${BUILD}env`];
    for (const folder of [source, fresh]) await rm(folder, { recursive: true, force: true });
    await cp(`${ROOT}src/python`, source, { recursive: true }); // installs from a copy, because pip leaves folders in the source
    await run(/** @type {string} */ (python), ['-m', 'venv', '--system-site-packages', fresh]);
    await run(`${fresh}/bin/pip`, ['install', '-q', '--no-index', ...options.split(' '), source], { cwd: BUILD });
    const env = { ...environment, NEXTPIXEL_LIBRARY: `${await config('--variable=libdir')}/libnextpixel.so` };
    const { stdout } = await run(`${fresh}/bin/python`, ['-c', 'import nextpixel; print(nextpixel.__file__, nextpixel.version())'], {
      cwd: BUILD,
      env,
    });
    assert.ok(stdout.startsWith(`${fresh}/`), stdout);
  },
);
