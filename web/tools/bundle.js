// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Builds the JavaScript and styles of web/dist: the published library and the scripts of the pages.
 *
 *     node web/tools/bundle.js [--check]
 *     node web/tools/bundle.js --small-worker FILE    only the worker of a small build, without text, music and distributions
 *
 * First, the script generates the sources that are derived from other sources (abi.js and options.js list them). The files in web/dist are:
 *
 *     shared.js                         code that all other files of the library import
 *     nextpixel.js                      load()
 *     element.js, define.js             the element
 *     player.js                         the AudioWorklet that plays sound
 *     worker.js                         the worker
 *     NAME.js                           a module that lib/ imports with import(), so that it is fetched only when it is needed
 *     page-first.js                     requests the wasm before everything else; a separate file, because it must be ready first
 *     page-start.js                     starts the worker and loads the weights of a page; imports shared.js
 *     page-shell.js                     code that all pages share; imports page-first.js and page-start.js
 *     page-embedding.js                 shows a single figure, and the code that embeds it; loaded on request
 *     page-text.js, page-completion.js  figures that only some pages have
 *     page-keep.js                      saves a course on the device; loaded on request
 *     page-NAME.js                      the remaining scripts of web/pages/NAME; imports the shared scripts
 *     page-front.js, page-front.css     the front page, with all the code that it needs
 *
 * A page therefore fetches four minified modules in parallel. Without bundles, the page would fetch a chain of fifty modules. The files of
 * web/dist are committed. The tests check that the sources produce these files byte for byte. The first line of a page's script contains a
 * hash of the sources, so that web/tools/serve.js can tell whether the script is up to date.
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
 * Adapts relative addresses to web/dist. The modules, the wasm and the worker are all in this folder. In web/shell, web/front and
 * web/pages, addresses remain relative to the source file.
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
 * @param {boolean} [smallest]  whether to minimise the size further, for files that every page loads
 * @returns {Promise<Map<string, string>>} the contents of each file, by file name
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

/** Minifies a script further. After gzip, the result is 4 % smaller than esbuild's own output. @param {string} text */
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
 * Puts each module that is imported with import() into a separate file.
 *
 * @param {Set<string>} [found]  receives the modules that are imported with import()
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

/** @param {string} path  @param {Set<string>} [later]  collects the modules that become separate files */
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
own.delete('lib/engine/abi.js'); // not shared, because inlining the constants of this module makes the code shorter
await refuseNamesakes();

/** Throws if two modules in shared.js export the same name, because other files of web/dist import from shared.js by name. */
async function refuseNamesakes() {
  const shared = await exportsOf('lib/exports.js');
  /** @type {Map<string, string>} */
  const fileOf = new Map();
  for (const file of own)
    for (const [, name] of (await readFile(join(WEB, file), 'utf8')).matchAll(
      /^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm,
    )) {
      const first = fileOf.get(name);
      if (first && shared.includes(name))
        throw new Error(`${first} and ${file} both export ${name}: rename one, because web/dist cannot distinguish them`);
      fileOf.set(name, file);
    }
}
/** Redirects imports of modules that are part of shared.js to shared.js itself. @type {import('esbuild').Plugin} */
const fromShared = {
  name: 'from shared.js',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
      own.has(relative(WEB, join(resolveDir, path))) ? { path: './shared.js', external: true } : undefined,
    );
  },
};

/**
 * Redirects imports of announce.js, make.js and say.js to element.js, for parts of the element that are loaded later. These modules are not
 * in shared.js. In shared.js, they would be part of the small build, whose size is limited. The pages' scripts contain a second copy of the
 * status texts; both copies use the same status element.
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

/**
 * Removes the steppers that call C functions marked NX_API_TEXTS. A build for pictures alone does not export these functions.
 *
 * @type {import('esbuild').Plugin}
 */
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
 * Builds the published library. Code that several files need is only in shared.js, which the other files import.
 *
 * @returns {Promise<Map<string, string>>}
 */
async function library() {
  /** @type {Set<string>} */
  const later = new Set();
  for (const path of ['lib/exports.js', 'lib/element.js']) await facts(path, later);
  for (const path of later) await facts(path, later); // a module that is loaded on demand may load other modules on demand
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
  // Adds the licences of the packages whose code a file includes, as these licences require.
  for (const path of OF_PACKAGES.keys()) {
    const name = basename(path);
    files.set(name, `${files.get(name)}${await legalComments([path])}`);
  }
  const names = await exportsOf('lib/index.js');
  files.set('nextpixel.js', `${LICENCE}\nexport{${names.join()}}from"./shared.js";\n`);
  return files;
}

/**
 * The scripts that several pages share. Each script maps to its index module and the modules that this index re-exports.
 * @type {Map<string, Set<string>>}
 */
const parts = new Map(
  await Promise.all(
    Object.entries(PAGE_PARTS).map(
      async ([name, path]) =>
        /** @type {[string, Set<string>]} */ ([name, new Set([path, ...(await facts(path)).inputs[path].imports.map((one) => one.path)])]),
    ),
  ),
);
parts.set('page-start', new Set([PAGE_PARTS['page-start']])); // without its imports, which page-shell.js provides

/** @type {import('esbuild').Plugin} */
const first = {
  name: 'first',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/first\.js$/ }, () => ({ path: './page-first.js', external: true, sideEffects: true }));
  },
};

/**
 * Replaces an import of a module by an import of the shared script that contains this module, so that each module exists only once. A
 * shared script contains its index module and all modules that the index re-exports.
 *
 * @param {...string} names  names of the scripts, in order. The first script that contains the module is used
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

/**
 * Modules that other pages load on demand. The front page always needs these modules, because it shares models, scores a picture, and
 * recovers from errors.
 */
const NEEDED = ['holders.js', 'questions.js', 'recovery.js'];

/**
 * Reduces the front page's script to the code that the page needs at once, so that the page loads quickly. The remaining code
 * is loaded on demand; the page's small model hardly ever needs it.
 * @type {import('esbuild').Plugin}
 */
const unusedApart = {
  name: 'unused apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !NEEDED.includes(basename(path)) ? { path: `./${basename(path)}`, external: true } : undefined,
    );
  },
};

/**
 * Puts library modules that a page loads on demand into separate files.
 * @type {import('esbuild').Plugin}
 */
const libraryApart = {
  name: 'library apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' && relative(WEB, join(resolveDir, path)).startsWith('lib/')
        ? { path: `./${basename(path)}`, external: true }
        : undefined,
    );
  },
};

/**
 * Merges several imports of the same file into one. esbuild removes all comments, so this function also restores the comments that tell
 * bundlers not to resolve imports of Node's modules.
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

/** Returns the contents of all files, by name. */
export async function bundles() {
  // package.json declares which modules of the published library have no side effects. The bundles of the pages' scripts ignore this
  // declaration.
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
      plugins: [libraryApart, fromParts('page-start', 'page-shell', 'page-text', 'page-completion'), moved],
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
    for (const [, other] of text.matchAll(/\bimport\("\.\/([^"]+)"\)/g))
      if (!files.has(other))
        throw new Error(`web/dist/${name} loads ${other}, which is no file of web/dist: the library must load it, too`);
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
    // Removes files of pages that no longer exist.
    if (/\.(js|css)$/.test(name) && !made.has(name) && !check) await rm(`${WEB}dist/${name}`);
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
