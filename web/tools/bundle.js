// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Makes the JavaScript and style of web/dist, which are the library as it is published and the scripts of the pages.
 *
 *     node web/tools/bundle.js [--check]
 *     node web/tools/bundle.js --small-worker FILE    the worker of a small build alone, without what texts, music and distributions need
 *
 * Before, what the sources themselves take from elsewhere is made anew: web/lib/engine/abi.js, web/lib/options.js, web/lib/engine/fields.js, web/jsx/attributes.d.ts.
 *
 *     nextpixel.js  load(), with shared.js        element.js, define.js  the element, with shared.js
 *     player.js     what plays sound, an AudioWorklet
 *     worker.js     what they start               every module that lib/ imports by import(): a file of its name, with shared.js,
 *                                                 which a page fetches only when it is needed
 *     page-first.js  asks for the wasm before all else; a file of its own, which is there long before what imports it
 *     page-start.js  what a page begins before all else, with shared.js: its worker and its weights
 *     page-shell.js  what all pages share, with these two
 *     page-embedding.js  one figure alone, and the code of a frame with it; loaded when one of these is asked for
 *     page-text.js, page-completion.js  figures that only some pages have
 *     page-keep.js  keeps a course on the device, fetched when it is asked for
 *     page-<name>.js  the rest of web/pages/<name>, with these
 *     page-front.js, page-front.css  the front page for itself, with what it needs of all that
 *
 * A page then fetches four modules side by side and not a chain of fifty, and no comments. The files are checked in; the tests
 * prove that the sources make them, byte for byte. The first line of the pages' names the sources, so that web/tools/serve.js
 * knows whether they are fresh.
 */

import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import { minify } from 'terser';

import { makeAbi } from './abi.js';
import { OF_PACKAGES, PAGE_PARTS, PARTS_OF_PACKAGES, pagesOf, sourcesOf } from './fresh.js';
import { legalComments, noticeFile } from './notices.js';
import { makeTypes } from './options.js';

const WEB = fileURLToPath(new URL('..', import.meta.url));
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
    onLoad({ filter: /[\\/]lib[\\/][\w-]+\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll("new URL('../dist/", "new URL('./"),
    }));
    onLoad({ filter: /[\\/]web[\\/](shell|front|pages)[\\/].*\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', `new URL('../${relative(WEB, path)}', import.meta.url)`),
    }));
  },
};

/**
 * @param {Record<string, string>} entryPoints
 * @param {import('esbuild').BuildOptions} [options]
 * @param {boolean} [smallest]  what every page loads
 * @returns {Promise<Map<string, string>>} the contents of each file, by name
 */
async function bundle(entryPoints, options = {}, smallest = false) {
  const { outputFiles = [] } = await build({
    absWorkingDir: WEB,
    entryPoints,
    outdir: 'dist',
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minifyWhitespace: true,
    minifySyntax: true,
    charset: 'utf8',
    legalComments: 'none',
    preserveSymlinks: true,
    banner: { js: LICENCE },
    alias: PARTS_OF_PACKAGES,
    plugins: [moved],
    logLevel: 'warning',
    ...options,
  });
  const texts = await Promise.all(outputFiles.map(({ text }) => (smallest ? smaller(text) : text)));
  return new Map(outputFiles.map(({ path }, i) => [basename(path), withAdvice(texts[i])]));
}

/** By 4 % of its gzip smaller than esbuild makes it. @param {string} text */
async function smaller(text) {
  const { code = '' } = await minify(text, {
    module: true,
    ecma: 2022,
    compress: { passes: 4, keep_fargs: false, hoist_funs: true },
    format: { comments: /SPDX/ },
  });
  return `${code}\n`;
}

/**
 * The modules that others import by import() are files of their own.
 *
 * @param {Set<string>} [found]  gets them
 * @returns {import('esbuild').Plugin}
 */
const apart = (found) => ({
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      found?.add(relative(WEB, join(resolveDir, path)));
      return { path: `./${basename(path)}`, external: true };
    });
  },
});

/** @param {string} path  @param {Set<string>} [later]  gets what is a file of its own */
async function facts(path, later) {
  return (
    await build({
      absWorkingDir: WEB,
      entryPoints: [path],
      outdir: 'dist',
      write: false,
      bundle: true,
      format: 'esm',
      metafile: true,
      plugins: [apart(later)],
    })
  ).metafile;
}
/** @param {string} path */
async function exportsOf(path) {
  return Object.values((await facts(path)).outputs)[0].exports.sort();
}

const own = new Set(Object.keys((await facts('lib/exports.js')).inputs));
own.delete('lib/engine/abi.js'); // numbers, which are shorter where they are used
/** Modules of shared.js are taken from there. @type {import('esbuild').Plugin} */
const fromShared = {
  name: 'from shared.js',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
      own.has(relative(WEB, join(resolveDir, path))) ? { path: './shared.js', external: true } : undefined,
    );
  },
};

/**
 * The words, the voice and the maker of the element's parts are in element.js, for those that it loads later: in shared.js the small build would have them,
 * which has no room. The pages' own scripts have a voice of their own, which speaks through the same status text.
 *
 * @type {import('esbuild').Plugin}
 */
const fromElement = {
  name: 'from element.js',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(announce|make|say)\.js$/ }, ({ resolveDir }) =>
      relative(WEB, resolveDir) === join('lib', 'element') ? { path: './element.js', external: true } : undefined,
    );
  },
};

/** A build of pictures alone exports none of the functions that these steppers call (NX_API_TEXTS). @type {import('esbuild').Plugin} */
const withoutTexts = {
  name: 'without texts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]steppers[\\/](constrained|notes|peek|search|spread)\.js$/ }, ({ path }) => ({
      contents: `export const ${basename(path, '.js')} = () => { throw new Error('this build is for pictures alone'); };`,
    }));
  },
};

const workerFile = (/** @type {import('esbuild').Plugin[]} */ ...plugins) =>
  bundle({ worker: 'lib/worker.js' }, { minifyIdentifiers: true, plugins: [moved, apart(), ...plugins] }, true);

/**
 * The library as it is published: one file that all others share, so that each thing exists once.
 *
 * @returns {Promise<Map<string, string>>}
 */
async function library() {
  /** @type {Set<string>} */
  const later = new Set();
  for (const path of ['lib/exports.js', 'lib/element.js']) await facts(path, later);
  for (const path of later) await facts(path, later); // which may have further ones
  const files = new Map([
    ...(await bundle({ shared: 'lib/exports.js' }, { minifyIdentifiers: true, plugins: [moved, apart()] }, true)),
    ...(await bundle(Object.fromEntries([...later].map((path) => [basename(path, '.js'), path])), {
      plugins: [moved, apart(), fromShared, fromElement],
    })),
    ...(await bundle({ element: 'lib/element.js' }, { plugins: [moved, apart(), fromShared] })),
    ...(await bundle({ define: 'lib/define.js' }, { external: ['./element.js'] })),
    ...(await bundle(
      Object.fromEntries(
        (await readdir(`${WEB}lib/element/words`)).map((file) => [`words-${basename(file, '.js')}`, `lib/element/words/${file}`]),
      ),
      {},
    )),
    ...(await bundle({ 'chat-models': 'lib/chat-models.js' })),
    ...(await bundle({ player: 'lib/player.js' }, { minifyIdentifiers: true, plugins: [moved] })),
    ...(await workerFile()),
  ]);
  // Code of other packages keeps its licence, as that asks for.
  for (const path of OF_PACKAGES.keys()) {
    const name = basename(path);
    files.set(name, `${files.get(name)}${await legalComments([path])}`);
  }
  const names = await exportsOf('lib/index.js');
  files.set('nextpixel.js', `${LICENCE}\nexport{${names.join()}}from"./shared.js";\n`);
  return files;
}

/** The modules that scripts which pages share re-export, and their indices. @type {Map<string, Set<string>>} */
const parts = new Map(
  await Promise.all(
    Object.entries(PAGE_PARTS).map(
      async ([name, path]) =>
        /** @type {[string, Set<string>]} */ ([name, new Set([path, ...(await facts(path)).inputs[path].imports.map((one) => one.path)])]),
    ),
  ),
);
parts.set('page-start', new Set([PAGE_PARTS['page-start']])); // what this imports, page-shell.js has

/** @type {import('esbuild').Plugin} */
const first = {
  name: 'first',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/first\.js$/ }, () => ({ path: './page-first.js', external: true, sideEffects: true }));
  },
};

/**
 * Modules that a script of the pages takes from another one: the index of that, and all that it re-exports, each of which is then there once.
 *
 * @param {...string} names  of the others, of which the first that has a module is the one
 * @returns {import('esbuild').Plugin}
 */
const fromParts = (...names) => ({
  name: 'from parts',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      const module = relative(WEB, join(resolveDir, path));
      const name = kind === 'dynamic-import' ? undefined : names.find((part) => parts.get(part)?.has(module));
      return name ? { path: `./${name}.js`, external: true } : undefined;
    });
  },
});

/** Of what is imported when it is needed, the front page needs this: it shares models, scores a picture, and recovers. */
const NEEDED = ['holders.js', 'questions.js', 'recovery.js'];

/** The front page, which is to be light, has nothing in itself that its one small model hardly ever needs. @type {import('esbuild').Plugin} */
const unusedApart = {
  name: 'unused apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !NEEDED.includes(basename(path)) ? { path: `./${basename(path)}`, external: true } : undefined,
    );
  },
};

/**
 * One import of a file instead of several; and the comments by which bundlers leave an import of Node's modules alone, which esbuild takes out with the
 * other ones.
 *
 * @param {string} text
 */
function withAdvice(text) {
  const once = text.replace(
    /(?:import\{[^}]*\}from"\.\/shared\.js";\n?){2,}/g,
    (all) => `import{${[...all.matchAll(/\{([^}]*)\}/g)].map(([, names]) => names).join()}}from"./shared.js";`,
  );
  return once.replace(/\bimport\((?=\w+\))/g, 'import(/* webpackIgnore: true */ /* @vite-ignore */ ');
}

/** Everything, by name. */
export async function bundles() {
  // Annotations: those of package.json say what of the published library does nothing by itself.
  const line = await sourcesOf(WEB);
  const forPage = { minifyIdentifiers: true, ignoreAnnotations: true, banner: { js: `// ${line}\n${LICENCE}`, css: `/* ${line} */` } };
  const made = await Promise.all([
    library(),
    bundle({ 'page-first': PAGE_PARTS['page-first'] }, { ...forPage, plugins: [moved] }),
    bundle({ 'page-start': PAGE_PARTS['page-start'] }, { ...forPage, plugins: [apart(), first, fromShared, moved] }),
    bundle({ 'page-shell': PAGE_PARTS['page-shell'] }, { ...forPage, plugins: [apart(), fromParts('page-start'), fromShared, moved] }),
    ...['page-text', 'page-completion'].map((name) =>
      bundle({ [name]: PAGE_PARTS[name] }, { ...forPage, plugins: [fromParts('page-start', 'page-shell'), moved] }),
    ),
    bundle({ 'page-keep': PAGE_PARTS['page-keep'] }, { ...forPage, plugins: [moved] }),
    bundle({ 'page-embedding': PAGE_PARTS['page-embedding'] }, { ...forPage, plugins: [moved] }),
    bundle({ 'page-front': 'front/main.js' }, { ...forPage, plugins: [unusedApart, first, moved] }),
    bundle({ 'page-front': 'front/front.css' }, forPage),
    bundle(Object.fromEntries((await pagesOf(WEB)).map((name) => [`page-${name}`, `pages/${name}/main.js`])), {
      ...forPage,
      plugins: [fromParts('page-start', 'page-shell', 'page-text', 'page-completion'), moved],
    }),
  ]);
  const files = new Map(made.flatMap((part) => [...part]));
  const offered = new Map(
    await Promise.all(
      Object.entries({ shared: 'lib/exports.js', ...PAGE_PARTS }).map(
        async ([name, path]) => /** @type {[string, Set<string>]} */ ([name, new Set(await exportsOf(path))]),
      ),
    ),
  );
  for (const [name, text] of files) {
    for (const [, list, other] of text.matchAll(/import\{([^}]*)\}from"\.\/([\w-]+)\.js"/g)) {
      const missing = list
        .split(',')
        .map((item) => item.split(' as ')[0])
        .filter((item) => offered.get(other)?.has(item) === false);
      if (missing.length > 0)
        throw new Error(`${PAGE_PARTS[other] ?? 'lib/exports.js'} must export ${missing.join(', ')} for web/dist/${name}`);
    }
  }
  return files;
}

const small = process.argv.indexOf('--small-worker');
if (process.argv[1] === fileURLToPath(import.meta.url) && small > 0) {
  for (const text of (await workerFile(withoutTexts)).values()) await writeFile(process.argv[small + 1], text);
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  if (!check) {
    await makeAbi();
    await makeTypes();
  }
  await mkdir(`${WEB}dist`, { recursive: true });
  const made = await bundles();
  for (const name of await readdir(`${WEB}dist`)) {
    if (/\.(js|css)$/.test(name) && !made.has(name) && !check) await rm(`${WEB}dist/${name}`); // of a page that is gone
  }
  const files = [...[...made].map(([name, text]) => [`dist/${name}`, text]), ['../NOTICE', await noticeFile()]];
  for (const [path, text] of files) {
    if (!check) await writeFile(WEB + path, text);
    else if ((await readFile(WEB + path, 'utf8').catch(() => '')) !== text) {
      console.error(`web/${path} is not what the sources make. Run ./build.sh js and commit the result.`);
      process.exitCode = 1;
    }
  }
}
