// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Makes the JavaScript and style of web/dist: the library as it is published, and the scripts of the pages.
 *
 *     node web/bundle.js [--check]
 *
 *     nextpixel.js  load(), with shared.js        element.js, define.js  the element, with shared.js
 *     worker.js     what they start
 *     page-shell.js  what all pages share, with the library      page-<name>.js  the rest of web/pages/<name>, with page-shell.js
 *     page-front.js, page-front.css  the front page for itself, with what it needs of all that
 *
 * A page then fetches two modules and not a chain of fifty, and no comments. The files are checked in; the tests
 * prove that the sources make them, byte for byte. The first line of the pages' names the sources, so that web/serve.js
 * knows whether they are fresh.
 */

import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { pagesOf, sourcesOf } from './fresh.js';

const WEB = fileURLToPath(new URL('.', import.meta.url));
const LICENCE = '// SPDX-License-Identifier: MIT';

/**
 * In web/dist, what an address is relative to has moved: the wasm and the worker stand beside the modules, and what
 * belongs to a page in folders beside theirs.
 *
 * @type {import('esbuild').Plugin}
 */
const moved = {
  name: 'moved',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]lib[\\/][\w-]+\.js$/ }, async ({ path }) => (
      { contents: (await readFile(path, 'utf8')).replaceAll("new URL('../dist/", "new URL('./") }));
    onLoad({ filter: /[\\/]web[\\/](shell|front|pages)[\\/].*\.js$/ }, async ({ path }) => (
      { contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', `new URL('../${relative(WEB, path)}', import.meta.url)`) }));
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

/** What the pages take from page-shell.js. @type {import('esbuild').Plugin} */
const shared = {
  name: 'shared',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/\.\.\/shell\/index\.js$/ }, () => ({ path: './page-shell.js', external: true }));
  },
};

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
  // Annotations: those of package.json say what of the published library does nothing by itself.
  const line = await sourcesOf(WEB);
  const forPage = { minifyIdentifiers: true, ignoreAnnotations: true, banner: { js: `// ${line}\n${LICENCE}`, css: `/* ${line} */` } };
  const parts = await Promise.all([
    bundle({ nextpixel: 'lib/index.js', element: 'lib/element.js' }, { splitting: true, chunkNames: 'shared' }),
    bundle({ define: 'lib/define.js' }, { external: ['./element.js'] }),
    bundle({ worker: 'lib/worker.js' }),
    bundle({ 'page-shell': 'shell/index.js', 'page-front': 'front/main.js' }, forPage),
    bundle({ 'page-front': 'front/front.css' }, forPage),
    bundle(Object.fromEntries((await pagesOf(WEB)).map((name) => [`page-${name}`, `pages/${name}/main.js`])), { ...forPage, plugins: [shared, moved] }),
  ]);
  return new Map(parts.flatMap((part) => [...part]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  await mkdir(`${WEB}dist`, { recursive: true });
  const made = await bundles();
  for (const name of await readdir(`${WEB}dist`)) {
    if (/\.(js|css)$/.test(name) && !made.has(name) && !check) await rm(`${WEB}dist/${name}`); // of a page that is gone
  }
  for (const [name, text] of made) {
    const path = `${WEB}dist/${name}`;
    if (!check) await writeFile(path, text);
    else if (await readFile(path, 'utf8').catch(() => '') !== text) {
      console.error(`web/dist/${name} is not what the sources make. Run ./build.sh js and commit the result.`);
      process.exitCode = 1;
    }
  }
}
