// SPDX-License-Identifier: MIT
// Records in page-bytes.json the files that each page requests until its first screen is complete. Writes the size of these files, as a
// static server sends them, into a table in web/manual/chapters/numbers.md. tests/js/page-bytes.test.js compares the pages with these
// records.
//
//   node tests/bench/page-bytes.js           all pages
//   node tests/bench/page-bytes.js opened    only the pages that are named, such as `opened`
// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { framedPages } from '../../web/tools/frame.js';
import { pagesOf } from '../../web/tools/fresh.js';
import { serve } from '../../web/tools/serve.js';
import { launch } from '../browser/browser.js';

const ROOT = new URL('../../', import.meta.url);
const NOTED = new URL('page-bytes.json', import.meta.url);
const CHAPTER = new URL('web/manual/chapters/numbers.md', ROOT);
const [BEGIN, END] = ['<!-- page-bytes: begin -->\n', '<!-- page-bytes: end -->'];
/** A page counts as complete after this many milliseconds without a request. */
const QUIET_MS = 4000;
const MOST_MS = 60000;

/** The recorded files of each page. @type {Record<string, string[]>} */
export const noted = JSON.parse(readFileSync(NOTED, 'utf8'));

/** The HTML of all pages; the keys are paths relative to web/. */
export const pages = await framedPages(fileURLToPath(new URL('web/', ROOT)));

/**
 * Returns the total size in bytes of each of three groups of files: the page itself, the library with one wasm build, and the weights.
 * @param {string[]} files
 */
export function bytesOf(files) {
  const sums = { page: 0, library: 0, weights: 0 };
  for (const file of files) {
    const page = pages.get(file.slice('web/'.length));
    const content = page === undefined ? readFileSync(new URL(file, ROOT)) : Buffer.from(page);
    const bytes = /\.(js|css|html|wasm|json|svg)$/.test(file) ? gzipSync(content, { level: 9 }).length : content.length;
    sums[file.endsWith('.gguf') ? 'weights' : /^web\/dist\/(?!page-)/.test(file) ? 'library' : 'page'] += bytes;
  }
  return sums;
}

/** Returns the sizes in kilobytes that the table in the manual states for each page. @returns {Map<string, number[]>} */
export function said() {
  const [, table] = readFileSync(CHAPTER, 'utf8').split(BEGIN);
  return new Map(
    [...table.split(END)[0].matchAll(/^\| `(.*?)` \|(.*)\|$/gm)].map(([, page, cells]) => [
      page,
      cells.split('|').map((cell) => Number(cell.replace(/[ ,]/g, ''))),
    ]),
  );
}

/** @param {string} page */
const name = (page) => (page ? `web/pages/${page}/` : 'web/');

/**
 * Returns the files that a page requests while it loads.
 * @param {import('playwright-core').Browser} browser
 * @param {string} server
 * @param {string} path
 */
async function filesOf(browser, server, path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  /** @type {Set<string>} */
  const files = new Set();
  const open = new Set();
  let last = Date.now();
  context.on('request', (request) => {
    if (!request.url().startsWith(server)) return;
    const file = new URL(request.url()).pathname.slice(1);
    files.add(file.endsWith('/') ? `${file}index.html` : file);
    open.add(request);
    last = Date.now();
  });
  const ended = (/** @type {object} */ request) => {
    open.delete(request);
    last = Date.now();
  };
  context.on('requestfinished', ended);
  context.on('requestfailed', ended);
  await page.goto(server + path);
  const begun = Date.now();
  while ((open.size > 0 || Date.now() - last < QUIET_MS) && Date.now() - begun < MOST_MS) await page.waitForTimeout(200);
  await context.close();
  return [...files].sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve({ port: 0 });
  const browser = await launch();
  /** @type {typeof noted} */
  const found = {};
  const some = process.argv.slice(2);
  for (const page of ['', ...(await pagesOf(fileURLToPath(new URL('web/', ROOT))))])
    found[name(page)] = some.length > 0 && !some.includes(page) ? noted[name(page)] : await filesOf(browser, server.url, name(page));
  await browser.close();
  server.close();
  writeFileSync(NOTED, `${JSON.stringify(found, null, 1)}\n`);
  const kilo = (/** @type {number} */ bytes) => Math.ceil(bytes / 1024).toLocaleString('en');
  const rows = Object.entries(found).map(([page, files]) => {
    const { page: own, library, weights } = bytesOf(files);
    return `| \`${page}\` | ${kilo(own)} | ${kilo(library)} | ${kilo(weights)} |\n`;
  });
  const [before, rest] = readFileSync(CHAPTER, 'utf8').split(BEGIN);
  writeFileSync(
    CHAPTER,
    `${before}${BEGIN}| KB | page | library and wasm | weights |\n|---|---|---|---|\n${rows.join('')}${END}${rest.split(END)[1]}`,
  );
}
