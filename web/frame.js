// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The frame of every page, once: head, policy, masthead, footer. A page of the demo is written in a file page.html, which holds its own facts, text
 * and figures; ./build.sh js makes its index.html of that, and npm start sends what page.html says now. The manual takes its head from here too.
 *
 *     ---
 *     title: a network that hides nothing
 *     description: What a search engine shows of it.
 *     weights: fvsbn.gguf                       the file that the first figure begins to load at once
 *     styles: completion                        style sheets of web/shell beside page.css, figures.css and controls.css
 *     scripts: page-text texts                  modules of web/dist beside those of every page
 *     takes: complete 28x28x1                   models of others that its address may name (web/shell/asked.js), and so may be fetched from elsewhere
 *     contents:
 *       #figure-endings The figure              its places, for the masthead
 *     ways:
 *       ../look-ahead/ Guess ahead              where to go from here
 *     ---
 *     <h1>Nothing <span class="predicted">hidden</span></h1>
 *     <p class="deck">...</p>
 *
 *     <figure id="figure-endings" class="figure">...</figure>
 *
 *     <footer>
 *     <p>Sources and licences.</p>
 *     </footer>
 *
 * A figure that several pages have is a file of HTML in web/shell, which a page takes in with words of its own in place of {{prompt}}:
 *
 *     <!-- include text/writing.html prompt="Once upon a time" -->
 *
 * Only title, description and contents must be there. The folder's own style sheets are found: the one of its name first, then the others by name.
 */

import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { courseLists, courseOf } from './front/courses.js';
import { pagesOf } from './fresh.js';

/** The file that a page is written in, beside its index.html; that of web/index.html is in web/front. */
const SOURCE = 'page.html';
const LINE = 'made of page.html by ./build.sh js';

/**
 * The Content-Security-Policy: what the library needs, and nothing else: no inline script or style, no other origin.
 *
 * @param {string} [connect]  what may be fetched from beside the page's own host
 */
export const policy = (connect) => "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
  `connect-src 'self'${connect ? ` ${connect}` : ''}; img-src 'self' data: blob:; style-src 'self'; base-uri 'none'; form-action 'none'`;

/**
 * The beginning of every page of the demo and of the manual.
 *
 * @param {object} facts
 * @param {string} facts.title        HTML without tags
 * @param {string} facts.description  text of an attribute
 * @param {string} facts.up           the way to web/: '', '../' or '../../'
 * @param {string} facts.line         what the page is made of
 * @param {string} [facts.connect]
 * @param {string[]} facts.tags       the page's own tags
 * @param {string} [facts.kind]       class of the body
 */
export const opening = ({ title, description, up, line, connect, tags, kind }) => `<!doctype html>
<!-- SPDX-License-Identifier: MIT -->
<!-- ${line} -->
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="Content-Security-Policy" content="${policy(connect)}">
  <title>nextpixel${title}</title>
  <meta name="description" content="${description}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="${up}shell/icon.svg" type="image/svg+xml">
${tags.map((tag) => `  ${tag}\n`).join('')}</head>
<body${kind ? ` class="${kind}"` : ''}>
`;

/**
 * @param {string} up     the way to web/
 * @param {string} links  HTML of the links
 * @param {string} name   what they are, for who cannot see them
 */
export const masthead = (up, links, name) => `  <header class="masthead">
    <p class="wordmark">${up ? `<a href="${up}">` : ''}next<span class="predicted">pixel</span>${up ? '</a>' : ''}</p>
    <nav aria-label="${name}">
      ${links}
    </nav>
  </header>
`;

/** @typedef {{ title: string, description: string, weights?: string, styles?: string, scripts?: string, takes?: string, contents: string[], ways?: string[] }} Facts */

const KEYS = ['title', 'description', 'weights', 'styles', 'scripts', 'takes', 'contents', 'ways'];
/** Where models of others may lie: on any host that says Access-Control-Allow-Origin. */
const ELSEWHERE = 'https:';

/**
 * The facts of a page.html, and the HTML of its text and of its footer.
 *
 * @param {string} source
 * @param {string} path  for errors
 * @returns {{ facts: Facts, head: string, text: string, footer: string }}  head: heading and deck
 */
export function parsePage(source, path) {
  const [, lines, body] = /^---\n(.*?)\n---\n(.*)$/s.exec(source) ?? [];
  if (lines === undefined) throw new Error(`${path} must begin with its facts, between two lines ---`);
  /** @type {Record<string, any>} */
  const facts = {};
  let key = '';
  for (const line of lines.split('\n')) {
    const [, item] = /^  (\S+ .*)$/.exec(line) ?? [];
    if (item !== undefined && Array.isArray(facts[key])) {
      facts[key].push(item);
      continue;
    }
    const [, name, value] = /^([a-z]+):(?: (.*))?$/.exec(line) ?? [];
    if (name === undefined || !KEYS.includes(name)) throw new Error(`${path}: "${line}" is not one of ${KEYS.join(', ')}`);
    facts[key = name] = value ?? [];
  }
  for (const name of ['title', 'description', 'contents']) if (!facts[name]) throw new Error(`${path} has no ${name}`);
  const [, head, text, footer] = /^\s*(<h1>.*?<p class="deck">.*?<\/p>)\n(.*)<footer>\n(.*)<\/footer>\s*$/s.exec(body) ?? [];
  if (head === undefined) throw new Error(`${path} must have <h1>, <p class="deck"> and text, and a <footer> at its end`);
  return { facts: /** @type {Facts} */ (facts), head, text, footer };
}

/** @param {string} item  an address and a text @returns {string} */
const link = (item) => `<a href="${item.slice(0, item.indexOf(' '))}">${item.slice(item.indexOf(' ') + 1)}</a>`;

/**
 * The index.html of a page.
 *
 * @param {string} source  its page.html
 * @param {object} where
 * @param {string} where.path      of the source, for errors
 * @param {string} where.name      of the page's folder; '': the front page
 * @param {string[]} where.sheets  the folder's own style sheets
 */
export function framed(source, { path, name, sheets }) {
  const { facts, head, text, footer } = parsePage(source, path);
  const { weights, styles = '', scripts = '', takes, contents, ways = [] } = facts;
  const up = name ? '../../' : '';
  const words = (/** @type {string} */ list) => list.split(' ').filter(Boolean);
  const [, figure] = /<figure id="([\w-]+)"/.exec(text) ?? [];
  if (!figure) throw new Error(`${path} has no <figure id="...">`);
  const sheet = (/** @type {string} */ address) => `<link rel="stylesheet" href="${address}">`;
  const early = (/** @type {string} */ script) => `<script type="module" async src="${up}dist/${script}.js"></script>`;
  const tags = [
    ...(takes ? [`<meta name="takes" content="${takes}">`] : []),
    ...(weights ? [`<link rel="preload" as="fetch" crossorigin href="${up}../weights/${weights}">`] : []),
    early('page-first'), early(name ? 'page-start' : 'page-front'),
    ...(name ? [
      ...['shared', 'holders', 'page-shell', ...words(scripts)].map((script) => `<link rel="modulepreload" href="${up}dist/${script}.js">`),
      ...['page', 'figures', 'controls', ...words(styles)].map((style) => sheet(`${up}shell/${style}.css`)),
      ...sheets.map(sheet),
      `<script type="module" src="${up}dist/page-${name}.js"></script>`,
    ] : [sheet('dist/page-front.css')]),
  ];
  return `${opening({ title: `: ${facts.title}`, description: facts.description, up, line: LINE, connect: takes && ELSEWHERE, tags })}  <a class="skip" href="#${figure}">Skip to the figure</a>

${masthead(up, [...contents.map(link), `<a href="${up}manual/">Manual</a>`].join('\n      '), 'Contents')}
  <main>
<div class="opening">
${head}
</div>
${text.replace('    <!-- courses -->\n', courseLists)}${name ? `
${courseOf(name)}` : ''}${ways.length > 0 ? `
    <nav class="ways" aria-label="Other systems">
${ways.map((way) => `      <p>${link(way)}</p>\n`).join('')}    </nav>
` : ''}  </main>

  <footer class="colophon">
${footer}  </footer>

</body>
</html>
`;
}

/**
 * A page.html with the files of web/shell that it takes in.
 *
 * @param {string} web     the folder
 * @param {string} source
 */
async function included(web, source) {
  const includes = /^ *<!-- include ([\w/-]+\.html)((?: \w+="[^"]*")*) -->\n/gm;
  const parts = await Promise.all([...source.matchAll(includes)].map(async ([, path, words]) => (
    [...words.matchAll(/(\w+)="([^"]*)"/g)].reduce((text, [, name, value]) => text.replaceAll(`{{${name}}}`, () => value), await readFile(join(web, 'shell', path), 'utf8')))));
  return source.replace(includes, () => parts.shift() ?? '');
}

/**
 * The index.html of a page as it is to be.
 *
 * @param {string} web   the folder
 * @param {string} name  of the page's folder; '': the front page
 */
async function made(web, name) {
  const folder = name ? join('pages', name) : 'front';
  const path = join(folder, SOURCE);
  const sheets = name ? (await readdir(join(web, folder))).filter((file) => file.endsWith('.css')).sort((a, b) => (
    Number(b === `${name}.css`) - Number(a === `${name}.css`) || (a < b ? -1 : 1))) : [];
  return framed(await included(web, await readFile(join(web, path), 'utf8')), { path: `web/${path}`, name, sheets });
}

/**
 * Every page, by its path below web/.
 *
 * @param {string} web  the folder
 * @returns {Promise<Map<string, string>>}
 */
export async function framedPages(web) {
  const names = ['', ...await pagesOf(web)];
  return new Map(await Promise.all(names.map(async (name) => /** @type {[string, string]} */ ([name ? `pages/${name}/index.html` : 'index.html', await made(web, name)]))));
}

/**
 * Served in place of a page's index.html: the one that its page.html makes now, where there is one.
 *
 * @param {string} web   the folder
 * @param {string} path  of an index.html in it
 * @returns {Promise<string | undefined>}  nothing, if the file itself will do
 */
export async function pageOf(web, path) {
  if (basename(path) !== 'index.html') return undefined;
  const front = dirname(path) === web;
  if (!front && dirname(dirname(path)) !== join(web, 'pages')) return undefined;
  const name = front ? '' : basename(dirname(path));
  const there = await stat(join(web, name ? `pages/${name}` : 'front', SOURCE)).then((found) => found.isFile(), () => false);
  if (!there) return undefined;
  const page = await made(web, name);
  return page === await readFile(path, 'utf8') ? undefined : page;
}
