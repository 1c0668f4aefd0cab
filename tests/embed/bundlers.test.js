// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the packed library with bundlers, in a browser. ./build.sh test-embed installs the bundlers from the npm registry, and runs this
 * file.
 */

import assert from 'node:assert/strict';
import { cp, readdir, stat, writeFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { PAGE, TOOLS, draws, pack, project, run, script, serveFolder, toy, visit } from './project.js';

/** @type {string} */
let tarball;
before(async () => {
  tarball = await pack();
});

const DIST = fileURLToPath(new URL('../../web/dist/', import.meta.url));

/** @param {string} name */
const tool = async (name) => import(`${TOOLS}node_modules/${name}`);

/** @param {string} folder @param {Parameters<typeof draws>[1]} [options] */
async function drawsAt(folder, options) {
  const { url, close } = await serveFolder(folder);
  try {
    return await draws(url, options);
  } finally {
    await close();
  }
}

const vites = { vite6: 'dist/node/index.js', vite7: 'dist/node/index.js', vite: 'dist/node/index.js' };
for (const [version, entry] of Object.entries(vites)) {
  const files = { 'index.html': PAGE('<script type="module" src="/main.js"></script>'), 'main.js': script(), 'public/toy.gguf': toy };

  for (const [how, optimizeDeps] of /** @type {[string, object][]} */ ([
    ['as it is', {}],
    ['with the library excluded', { exclude: ['nextpixel'] }],
  ])) {
    test(`${version} dev, ${how}`, { timeout: 120000 }, async () => {
      const root = await project(`${version}-dev`, files, { tarball });
      const { createServer } = await tool(`${version}/${entry}`);
      const server = await createServer({
        root,
        configFile: false,
        logLevel: 'error',
        optimizeDeps,
        server: { host: '127.0.0.1', port: 0 },
      });
      await server.listen();
      try {
        const { requests } = await draws(server.resolvedUrls.local[0]);
        if (how === 'as it is')
          assert.ok(
            requests.some((url) => url.includes('/.vite/deps/')),
            'the library must not be pre-bundled',
          );
      } finally {
        await server.close();
      }
    });
  }

  test(`${version} build`, { timeout: 120000 }, async () => {
    const root = await project(`${version}-build`, files, { tarball });
    const { build } = await tool(`${version}/${entry}`);
    await build({ root, configFile: false, logLevel: 'error', base: './', build: { target: 'es2022' } });
    await drawsAt(`${root}dist`);
  });
}

test('vite dev with the library in another folder: the error names the setting', { timeout: 120000 }, async () => {
  // The package is hoisted, as in a workspace, so its files are not next to the folder of pre-bundled packages.
  const top = await project(
    'vite-hoisted',
    {
      'app/index.html': PAGE('<script type="module" src="/main.js"></script>'),
      'app/main.js': script(),
      'app/public/toy.gguf': toy,
      'app/package.json': '{ "type": "module" }',
    },
    { tarball },
  );
  const { createServer } = await tool('vite7/dist/node/index.js');
  const server = await createServer({
    root: `${top}app`,
    configFile: false,
    logLevel: 'error',
    cacheDir: `${top}app/node_modules/.vite`,
    server: { host: '127.0.0.1', port: 0 },
  });
  await server.listen();
  try {
    const { title } = await visit(server.resolvedUrls.local[0]);
    assert.match(title, /^failed .*optimizeDeps: \{ exclude: \['nextpixel'\] \}/);
  } finally {
    await server.close();
  }
});

for (const mode of ['production', 'development']) {
  test(`webpack, ${mode}: no warning`, { timeout: 120000 }, async () => {
    const root = await project(
      `webpack-${mode}`,
      { 'main.js': script(), 'dist/index.html': PAGE('<script src="main.js" defer></script>'), 'dist/toy.gguf': toy },
      { tarball },
    );
    const { default: webpack } = await tool('webpack/lib/index.js');
    // Webpack warns about every file of more than 244 KiB before compression; the build with all kinds of models is larger.
    const builds = (await readdir(DIST)).filter((name) => name.endsWith('.wasm'));
    const performance = { maxAssetSize: Math.max(...(await Promise.all(builds.map(async (name) => (await stat(DIST + name)).size)))) };
    const stats = await new Promise((resolve, reject) => {
      webpack(
        { mode, context: root, entry: './main.js', devtool: false, performance, output: { path: `${root}dist`, filename: 'main.js' } },
        (/** @type {any} */ error, /** @type {any} */ done) => (error ? reject(error) : resolve(done)),
      );
    });
    assert.equal(stats.toString({ all: false, errors: true, warnings: true }), '');
    await drawsAt(`${root}dist`);
  });
}

test('parcel, without any setting for the library', { timeout: 180000 }, async () => {
  // a lock file marks the root folder of a project
  const files = { 'index.html': PAGE('<script type="module" src="main.js"></script>'), 'main.js': script(), 'yarn.lock': '' };
  const root = await project('parcel', { ...files, 'package.json': '{ "name": "app", "private": true }' }, { tarball });
  await run(
    process.execPath,
    [
      `${TOOLS}node_modules/parcel/lib/bin.js`,
      'build',
      'index.html',
      '--no-cache',
      '--cache-dir',
      'cache',
      '--no-optimize',
      '--public-url',
      './',
      '--dist-dir',
      'dist',
    ],
    { cwd: root },
  );
  await writeFile(`${root}dist/toy.gguf`, toy);
  await drawsAt(`${root}dist`);
});

/**
 * Two ways to use the library if a bundler emits only the script: use the single-file build, or pass the addresses of the files to the
 * library.
 * @type {[string, string, string?][]}
 */
const WAYS = [
  ['inline', script('nextpixel/inline')],
  ['addresses', script('nextpixel', "{ workerUrl: 'worker.js', wasmUrl: 'nextpixel.wasm' }")],
];
for (const [way, text] of WAYS) {
  /** @param {string} name */
  const made = async (name) => {
    const root = await project(
      name,
      { 'main.js': text, 'dist/index.html': PAGE('<script type="module" src="main.js"></script>'), 'dist/toy.gguf': toy },
      { tarball },
    );
    if (way === 'addresses') {
      for (const file of ['worker.js', 'nextpixel.wasm']) await cp(`${root}node_modules/nextpixel/web/dist/${file}`, `${root}dist/${file}`);
    }
    return root;
  };

  test(`rollup, ${way}`, { timeout: 120000 }, async () => {
    const root = await made(`rollup-${way}`);
    const [{ rollup }, { default: resolve }] = [
      await tool('rollup/dist/es/rollup.js'),
      await tool('@rollup/plugin-node-resolve/dist/es/index.js'),
    ];
    /** @type {string[]} */
    const warnings = [];
    const bundle = await rollup({
      input: `${root}main.js`,
      plugins: [resolve({ browser: true })],
      onwarn: (/** @type {any} */ { message }) => warnings.push(message),
    });
    await bundle.write({ dir: `${root}dist`, format: 'es' });
    assert.deepEqual(warnings, []);
    await drawsAt(`${root}dist`);
  });

  test(`esbuild, ${way}`, { timeout: 120000 }, async () => {
    const root = await made(`esbuild-${way}`);
    const { default: esbuild } = await tool('esbuild/lib/main.js');
    const { warnings } = await esbuild.build({
      absWorkingDir: root,
      entryPoints: ['main.js'],
      outdir: 'dist',
      bundle: true,
      format: 'esm',
      logLevel: 'silent',
    });
    assert.deepEqual(warnings, []);
    await drawsAt(`${root}dist`);
  });
}
