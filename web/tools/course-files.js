// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Creates courses.json, which lists the files of each course. With this list, visitors can keep a course on their device
 * (shell/page/page-keep.js). ./build.sh site writes this file, and npm start creates it on request. The list for a page contains all files
 * of the library, the page's own files, and the weights that its script or its text names.
 */

import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

import { COURSES, idOf } from '../front/courses.js';
import { framedPages } from './frame.js';
import { pagesOf } from './fresh.js';
import { LANGUAGES } from './languages.js';

/** @typedef {{ bytes: number, tag: string }} Facts  tag: hash of the contents */
/** @typedef {[address: string, bytes: number, tag: string]} CourseFile  address: relative to web/ */
/** @typedef {{ release: string, courses: Record<string, { files: CourseFile[] }> }} CourseFiles  courses: by id */

/** Weights of the front page. Every course includes these weights, because every page links to the front page. */
const FRONT = ['digits.gguf'];

/**
 * Matches the files of web/ that any page may need: the files of the library, the files that all pages share, and the files of the front
 * page.
 */
const SHARED =
  /^dist\/(?!page-)|^dist\/page-(first|start|shell|text|completion|keep|embedding|front)\.|^shell\/page\/before\.js$|^(shell|pictures)\/.*\.(css|svg|png|json|bin)$|^front\/tiles\/.*\.json$|^pages\/[\w-]+\/still\.png$|^manifest/;
/** Matches files in a page's folder that a course does not need, because the HTML of the page already contains their contents. */
const INSIDE = /\/\w\w\.json$/;

/**
 * Returns the weight files that a source text names, either literally or in a template string.
 *
 * @param {string} text
 * @param {string[]} all  names of all weight files
 */
export function weightsIn(text, all) {
  const named = new Set(text.match(/[\w-]+(?:\$\{[^}]*\})?\.gguf/g));
  // The expression in a template string stands for one word, optionally followed by a hyphen and a letter, as in local-p.
  const patterns = [...named].map((name) => new RegExp(`^${name.replace(/\$\{.*\}/, '[a-z]+(-[a-z])?').replace('.', '\\.')}$`));
  return all.filter((name) => patterns.some((pattern) => pattern.test(name)));
}

/** @param {string | Buffer} content @returns {Facts} */
export const factsOf = (content) => ({
  bytes: Buffer.byteLength(content),
  tag: createHash('sha256').update(content).digest('hex').slice(0, 12),
});

/**
 * @param {object} site
 * @param {Map<string, string>} site.pages   HTML of every page, by its path from web/
 * @param {Map<string, Facts>} site.files    files of web/ other than pages. Paths of scripts omit the hash of the folder: dist/shared.js
 * @param {Map<string, Facts>} site.weights  weight files, by file name
 * @param {(name: string) => string} site.script  returns the text of a page's script
 * @param {string} [site.dist]    folder of the scripts
 * @param {string} [site.models]  folder of the weights
 * @returns {CourseFiles}
 */
export function courseFiles({ pages, files, weights, script, dist = 'dist', models = 'weights' }) {
  const html = new Map([...pages].map(([path, text]) => [path.replace(/index\.html$/, ''), text]));
  const folder = (/** @type {string} */ page) => (page ? `pages/${page}/` : '');
  /** Returns the addresses of a page in every language. @param {string} page */
  const addresses = (page) => ['', ...Object.keys(LANGUAGES).map((lang) => `${lang}/`)].map((lang) => folder(page) + lang);
  const shared = [...files.keys()].filter((path) => SHARED.test(path));
  const names = [...weights.keys()];
  const courses = COURSES.map(({ name, steps }) => {
    const own = steps.map(({ page }) => page);
    const all = ['', ...own].flatMap(addresses).filter((path) => html.has(path));
    const text =
      own.map((page) => script(page)).join('') +
      all
        .filter(Boolean)
        .map((path) => html.get(path))
        .join('');
    const mine = [...files.keys()].filter(
      (path) => own.some((page) => path.startsWith(folder(page)) || path === `dist/page-${page}.js`) && !INSIDE.test(path),
    );
    /** @type {[string, Facts][]} */
    const list = [
      ...all.map((path) => /** @type {[string, Facts]} */ ([path || './', factsOf(html.get(path) ?? '')])),
      ...[...new Set([...shared, ...mine])].map(
        (path) => /** @type {[string, Facts]} */ ([path.replace(/^dist\//, `${dist}/`), files.get(path)]),
      ),
      ...[...new Set([...FRONT, ...weightsIn(text, names)])].map(
        (file) => /** @type {[string, Facts]} */ ([`../${models}/${file}`, weights.get(file)]),
      ),
    ];
    return [idOf(name), { files: list.map(([address, { bytes, tag }]) => /** @type {CourseFile} */ ([address, bytes, tag])) }];
  });
  const made = Object.fromEntries(courses);
  return { release: factsOf(JSON.stringify(made)).tag, courses: made };
}

/**
 * Lists the files of the courses directly from the sources. `npm start` uses this list. The tag of a file is its modification time.
 *
 * @param {string} base  folder that contains web/ and weights/
 */
export async function courseFilesOf(base) {
  const web = join(base, 'web');
  /** @param {string} folder @param {RegExp} wanted @returns {Promise<Map<string, Facts>>} */
  const factsIn = async (folder, wanted) => {
    const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll(sep, '/')).filter((name) => wanted.test(name));
    return new Map(
      await Promise.all(
        names.map(async (name) => {
          const { size, mtimeMs } = await stat(join(folder, name));
          return /** @type {[string, Facts]} */ ([name, { bytes: size, tag: mtimeMs.toString(36) }]);
        }),
      ),
    );
  };
  const names = await pagesOf(web);
  const scripts = new Map(
    await Promise.all(
      names.map(async (name) => /** @type {[string, string]} */ ([name, await readFile(join(web, `dist/page-${name}.js`), 'utf8')])),
    ),
  );
  return courseFiles({
    pages: await framedPages(web),
    files: await factsIn(
      web,
      /^dist\/.*\.(js|css|wasm)$|^shell\/page\/before\.js$|^(shell|pictures|front|pages)\/.*\.(css|svg|png|json|bin|md)$|^manifest/,
    ),
    weights: await factsIn(join(base, 'weights'), /^[\w-]+\.gguf$/),
    script: (name) => scripts.get(name) ?? '',
  });
}
