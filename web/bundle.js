// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Makes the JavaScript of web/dist: the library as it is published, and the page's script.
 *
 *     node web/bundle.js [--check]
 *
 *     nextpixel.js  load(), with shared.js        element.js, define.js  the element, with shared.js
 *     worker.js     what they start
 *     page-start.js, page.js   the demo page for itself: the library and what begins at once, and the rest
 *
 * A page then fetches three modules and not a chain of twenty-five, and no comments. The files are checked in; the tests
 * prove that the sources make them, byte for byte. The first line of the page's names the sources, so that web/serve.js
 * knows whether they are fresh.
 */

import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { sourcesOf } from './fresh.js';

const WEB = fileURLToPath(new URL('.', import.meta.url));
const LICENCE = '// SPDX-License-Identifier: MIT';

/**
 * In web/dist, what an address is relative to has moved: the wasm and the worker stand beside the modules, and what
 * belongs to the page in a folder beside theirs.
 *
 * @type {import('esbuild').Plugin}
 */
const moved = {
  name: 'moved',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]lib[\\/][\w-]+\.js$/ }, async ({ path }) => (
      { contents: (await readFile(path, 'utf8')).replaceAll("new URL('../dist/", "new URL('./") }));
    onLoad({ filter: /[\\/]demo[\\/][\w-]+\.js$/ }, async ({ path }) => (
      { contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', `new URL('../demo/${basename(path)}', import.meta.url)`) }));
  },
};

/**
 * @param {Record<string, string>} entryPoints
 * @param {import('esbuild').BuildOptions} [options]
 * @returns {Promise<Map<string, string>>} the contents of each file, by name
 */
async function bundle(entryPoints, options = {}) {
  const { outputFiles = [] } = await build({
    absWorkingDir: WEB, entryPoints, outdir: 'dist', write: false, bundle: true, format: 'esm', target: 'es2022', minifyWhitespace: true,
    minifySyntax: true, charset: 'utf8', legalComments: 'none', banner: { js: LICENCE }, plugins: [moved], logLevel: 'warning',
    ...options,
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path), withAdvice(text)]));
}

/** What page.js takes from page-start.js: the library, and the module that starts it. @type {import('esbuild').Plugin} */
const started = {
  name: 'started',
  setup({ onResolve }) {
    onResolve({ filter: /^(\.\.\/lib\/[\w-]+|\.\/start)\.js$/ }, () => ({ path: './page-start.js', external: true }));
  },
};

/** All that page-start.js has for page.js. */
async function startModule() {
  const names = (await readdir(`${WEB}demo`)).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(names.map((name) => readFile(`${WEB}demo/${name}`, 'utf8')));
  const imports = /^import .*?from '\.(\.\/lib\/[\w-]+\.js)';$/gms;
  const modules = new Set(texts.flatMap((text) => [...text.matchAll(imports)].map(([, path]) => path)));
  return ['./demo/start.js', './lib/define.js', ...[...modules].sort()].map((path) => `export * from '${path}';`).join('\n');
}

/**
 * The comments by which bundlers leave an import of Node's modules alone, which esbuild takes out with the other ones.
 *
 * @param {string} text
 */
function withAdvice(text) {
  return text.replace(/\bimport\((?=\w+\))/g, 'import(/* webpackIgnore: true */ /* @vite-ignore */ ');
}

/** Everything, by name. */
export async function bundles() {
  const forPage = { minifyIdentifiers: true, banner: { js: `${await sourcesOf(WEB)}\n${LICENCE}` } };
  const parts = await Promise.all([
    bundle({ nextpixel: 'lib/index.js', element: 'lib/element.js' }, { splitting: true, chunkNames: 'shared' }),
    bundle({ define: 'lib/define.js' }, { external: ['./element.js'] }),
    bundle({ worker: 'lib/worker.js' }),
    bundle({}, { ...forPage, stdin: { contents: await startModule(), resolveDir: WEB }, outdir: undefined, outfile: 'dist/page-start.js' }),
    bundle({ page: 'demo/main.js' }, { ...forPage, plugins: [started, moved] }),
  ]);
  return new Map(parts.flatMap((part) => [...part]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  await mkdir(`${WEB}dist`, { recursive: true });
  for (const [name, text] of await bundles()) {
    const path = `${WEB}dist/${name}`;
    if (!check) await writeFile(path, text);
    else if (await readFile(path, 'utf8').catch(() => '') !== text) {
      console.error(`web/dist/${name} is not what the sources make. Run ./build.sh js and commit the result.`);
      process.exitCode = 1;
    }
  }
}
