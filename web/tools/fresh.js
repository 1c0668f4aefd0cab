// SPDX-License-Identifier: MIT
// @ts-check

/** Checks whether the pages' scripts and styles in web/dist were built from the current sources. This module needs only Node. */

import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { open, readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders of web/ whose files become part of the pages' scripts. */
const FOLDERS = ['front', 'lib', 'pages', 'pictures', 'shell'];

/** The scripts that several pages share, each with the module that it is built from. @type {Record<string, string>} */
export const PAGE_PARTS = {
  'page-first': 'shell/model/first.js',
  'page-start': 'shell/model/start.js',
  'page-shell': 'shell/index.js',
  'page-text': 'shell/text/index.js',
  'page-completion': 'shell/completion/index.js',
  'page-keep': 'shell/page/page-keep.js',
  'page-embedding': 'shell/page/page-embedding.js',
};

/**
 * Modules that import a package. Each module maps to the package's licence file in node_modules/. Browsers cannot find a package by its
 * name, so each of these modules becomes a separate file in web/dist that includes the package.
 */
export const OF_PACKAGES = new Map([
  ['lib/kinds/note/midi.js', 'midi-file/LICENSE.md'],
  ['lib/kinds/text/template.js', '@huggingface/jinja/LICENSE'],
]);

/**
 * The parts of the packages in OF_PACKAGES that the library uses. Importing a whole package would include the other parts as well, because
 * they have side effects.
 */
export const PARTS_OF_PACKAGES = {
  '@huggingface/jinja': fileURLToPath(new URL('../../node_modules/@huggingface/jinja/src/parser.ts', import.meta.url)),
};

/**
 * Returns the source code that is served instead of a module that imports a package. This code re-exports the module's file in web/dist.
 *
 * @param {string} name  path of the module, relative to web/
 * @returns {string | undefined} undefined if the module imports no package
 */
export function bundledOf(name) {
  return OF_PACKAGES.has(name) ? `export * from '${'../'.repeat(name.split('/').length - 1)}dist/${basename(name)}';\n` : undefined;
}

/** Returns the folder names of all pages. @param {string} web  path of web/ */
export async function pagesOf(web) {
  const entries = await readdir(join(web, 'pages'), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/**
 * Returns the source code that is served instead of an outdated script or style of a page.
 *
 * @param {string} name  name of the file
 * @returns {string | undefined} undefined for files that belong to no page
 */
export function sourceOf(name) {
  const [, page, type] = /^page-([\w-]+)\.(js|css)$/.exec(name) ?? [];
  if (page === undefined) return undefined;
  if (type === 'css') return `@import '../${page}/${page}.css';\n`;
  const part = PAGE_PARTS[`page-${page}`];
  return part ? `export * from '../${part}';\n` : `import '../${page === 'front' ? page : `pages/${page}`}/main.js';\n`;
}

/**
 * Cached results of sourcesOf(), by folder. An entry is valid until the size or modification time of a file changes.
 *
 * @type {Map<string, { state: string, line: string }>}
 */
const known = new Map();

/**
 * Returns the text of the comment that begins each script and style sheet built from the current sources in web/.
 *
 * @param {string} web  path of web/
 */
export async function sourcesOf(web) {
  // Reads synchronously: for five hundred small files, this takes a third of the time that promises take.
  const names = FOLDERS.flatMap((folder) =>
    readdirSync(join(web, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => `${folder}/${name}`),
  ).sort();
  const state = names
    .map((name) => {
      const { size, mtimeMs } = statSync(join(web, name));
      return `${name} ${size} ${mtimeMs}`;
    })
    .join('\n');
  const cached = known.get(web);
  if (cached?.state === state) return cached.line;
  const hash = createHash('sha256');
  for (const name of names) hash.update(`${name}\n`).update(await readFile(join(web, name)));
  const line = `made of sources ${hash.digest('hex')} by ./build.sh js`;
  known.set(web, { state, line });
  return line;
}

/**
 * A check is valid for this many milliseconds, because the requests of a page arrive together. A request for the page itself always causes
 * a new check.
 */
export const SAME_MS = 100;
/** @type {Map<string, { at: number, line: Promise<string> }>} */
const lately = new Map();

/** Returns the result of a recent check, or starts a new check. @param {string} web */
function lineOf(web) {
  const found = lately.get(web),
    now = performance.now();
  return found && now - found.at < SAME_MS ? found.line : checkSources(web);
}

/** Checks the sources. Requests within the next SAME_MS milliseconds use the same result. @param {string} web */
export function checkSources(web) {
  const line = sourcesOf(web);
  line.catch(() => {}); // the check fails if there are no sources
  lately.set(web, { at: performance.now(), line });
  return line;
}

/**
 * @param {string} path  path of a script
 */
export async function isMade(path) {
  const file = await open(path);
  try {
    const line = await lineOf(join(path, '../..'));
    const { buffer } = await file.read({ buffer: Buffer.alloc(line.length + 3), position: 0 });
    return buffer.toString('utf8', 3) === line; // skips the start of the comment
  } catch {
    return true; // if there are no sources, the script cannot be outdated
  } finally {
    await file.close();
  }
}
