// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Generates the parts that all pages share: the head, the content security policy, the masthead and the footer. The source of a demo page
 * is page.html, which contains the page's facts, text and figures. index.html is generated from page.html: npm start generates it on each
 * request, and ./build.sh site writes the file. The manual uses the same head.
 *
 *     ---
 *     title: Fully visible sigmoid belief network   name of the system and of its page
 *     description: The text that a search engine shows.
 *     paper: https://example.org/1 Title        address and title of the paper
 *     by: Frey, Hinton, Dayan                   authors of the paper
 *     year: 1996
 *     credit: Six papers, 1996 to 2019          text on the card of the front page that replaces authors and year
 *     says: Every pixel votes.                  text on the card
 *     pictures: fvsbn.gguf seed=1 samples=6     pictures that the card draws, if any: a weight file and settings (web/front/papers.js)
 *     colourful: yes                            if the still on the card keeps its colours in the dark theme
 *     tile: 4 Four voices, note by note         position and name of the page's tile on the front page, if it has one (tile.js)
 *     family: autoregressive                    family of the model, in tables that compare families
 *     short: FVSBN                              name of the model in these tables
 *     course: From a coin to a picture, 1       name of the course (web/front/courses.js) and position in the course
 *     knows: what a probability is              prerequisites
 *     asks: Which way does the curve go?        a question that readers can answer by trying something out
 *     at: figure-learning                       the figure in which readers find the answer
 *     weights: fvsbn.gguf                       weight file that starts to load immediately
 *     styles: completion                        style sheets of web/shell besides page.css, figures.css and controls.css
 *     scripts: page-text texts                  modules of web/dist besides the ones that every page loads
 *     takes: complete 28x28x1                   models that visitors may name in the page's address (web/shell/page/asked.js)
 *     contents:
 *       #figure-endings The figure              sections of the page, listed in the masthead
 *     ways:
 *       ../look-ahead/ Guess ahead              pages to continue with
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
 * The facts `title`, `description` and `contents` are required. A page of a course also needs `paper`, `by`, `year`, `says`, `knows`,
 * `asks` and `at`.
 *
 * A page with `takes` may fetch from other hosts. Such a page also gets a box for the visitor's own file, below the first figure. A page
 * that already has a box of its own (an element with an id that ends in `own`) does not get this box.
 *
 * A figure that several pages share is an HTML file in web/shell. A page includes this file and supplies the text for its placeholders,
 * such as {{prompt}}:
 *
 *     <!-- include text/writing.html prompt="Once upon a time" -->
 *
 * <!-- pages FAMILY --> becomes the links to the pages with this `family`. On the front page, <!-- courses --> becomes the list of courses,
 * and <!-- tiles --> becomes the tiles.
 *
 * Figures with a figcaption are numbered in order. The number is inserted at the start of the figcaption. An element with data-figure="id"
 * receives the name of the figure with that id.
 *
 * The generated h1 contains the fact `title`. The <h1> of the source becomes a line below the title. The folder's style sheets are found
 * automatically. The style sheet with the folder's name comes first; the others follow in order of name.
 *
 * A page.ko.html next to page.html is the same page in Korean, one of the languages in languages.js. page.ko.html contains the
 * translated text and the same figures as page.html. It contains only those facts that readers see: title, description, credit, says,
 * tile, short, knows, asks, contents, ways. The address of the Korean page is the address of the English page, followed by ko/.
 */

import { createHash } from 'node:crypto';
import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { courseLists, courseOf, linksOfFamily, placeOf, tileLinks } from '../front/courses.js';
import { parseFacts } from './facts.js';
import { pagesOf } from './fresh.js';
import { LANGUAGES, alternates, commonOf, deeper, joined, sourceFor, switchesTo, translationOf, wordsTag } from './languages.js';
import { phrase as english, phrasesIn } from '../shell/page/phrase.js';
/** @import { Facts } from './facts.js' */
/** @import { Common, Translation } from './languages.js' */

/**
 * The only inline script of a page. The script shows a message if the page was opened from disk, because browsers do not run modules from
 * disk.
 */
const FROM_FILE = "if(location.protocol=='file:')document.getElementById('from-file').hidden=false";

/**
 * The Content-Security-Policy, which allows only what the library needs. The policy forbids inline styles, other origins, and all
 * inline scripts except FROM_FILE.
 *
 * @param {string} [connect]  hosts that the page may fetch from, in addition to its own
 */
export const policy = (connect) =>
  `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${createHash('sha256').update(FROM_FILE).digest('base64')}'; worker-src 'self' blob:; ` +
  `connect-src 'self'${connect ? ` ${connect}` : ''}; img-src 'self' data: blob:; style-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'`;

/**
 * Returns the beginning of every page of the demo and of the manual.
 *
 * @param {object} facts
 * @param {string} facts.title        HTML text without tags
 * @param {string} facts.description  text for an attribute
 * @param {string} facts.up           path to web/: '', '../' or '../../'
 * @param {string} facts.line         text of the comment that names the page's source
 * @param {string} [facts.connect]
 * @param {string[]} facts.tags       tags that only this page has
 * @param {string} [facts.kind]       class of the body element
 * @param {string} [facts.lang]
 */
export const opening = ({ title, description, up, line, connect, tags, kind, lang = 'en' }) => `<!doctype html>
<!-- SPDX-License-Identifier: MIT -->
<!-- ${line} -->
<html lang="${lang}">
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
 * @param {string} up     path to web/
 * @param {string} links  HTML of the links
 * @param {string} name   accessible name of the list of links
 */
export const masthead = (up, links, name) => `  <header class="masthead">
    <p class="wordmark">${up ? `<a href="${up}">` : ''}next<span class="predicted">pixel</span>${up ? '</a>' : ''}</p>
    <nav aria-label="${name}">
      ${links}
    </nav>
  </header>
`;

/** The hosts from which a page may fetch visitors' models: any HTTPS host. The host must also send Access-Control-Allow-Origin. */
const ELSEWHERE = 'https:';

/**
 * Parses a page.html. Returns its facts and the HTML of its heading, text and footer.
 *
 * @param {string} source
 * @param {string} path  path of the file, for error messages
 * @returns {{ facts: Facts, head: string, text: string, footer: string }}  head: the heading and the deck
 */
export function parsePage(source, path) {
  const { facts, body } = parseFacts(source, path);
  for (const name of /** @type {const} */ (['description', 'contents'])) if (!facts[name]) throw new Error(`${path} has no ${name}`);
  const [, head, text, footer] = /^\s*(<h1>.*?<p class="deck">.*?<\/p>)\n(.*)<footer>\n(.*)<\/footer>\s*$/s.exec(body) ?? [];
  if (head === undefined) throw new Error(`${path} must have an <h1>, a <p class="deck"> and text, and end with a <footer>`);
  return { facts: /** @type {Facts} */ (facts), head, text, footer };
}

/** The title of this project in citations, the same as in CITATION.cff. */
const TITLE = '<cite lang="en">nextpixel: generative models that run inside a web page</cite>';

/** @param {string} item  an address, followed by the text of the link @returns {string} */
const link = (item) => `<a href="${item.slice(0, item.indexOf(' '))}">${item.slice(item.indexOf(' ') + 1)}</a>`;

/**
 * Numbers the figures of a page.
 *
 * @param {string} text
 * @param {ReturnType<typeof phrasesIn>} phrase
 * @param {string} path  path of the file, for error messages
 */
function numbered(text, phrase, path) {
  const captioned = /<figure id="([\w-]+)"(?:(?!<\/figure>).)*?<figcaption[^>]*>/gs;
  const names = new Map(
    [...text.matchAll(captioned)].map(([, id], i, { length }) => [id, length > 1 ? phrase`Figure ${i + 1}` : phrase`Figure`]),
  );
  return text
    .replace(captioned, (start, id) => `${start}<b>${names.get(id)}.</b> `)
    .replace(/( data-figure="([\w-]+)"[^>]*>)[^<]*/g, (_, start, id) => {
      if (!names.has(id)) throw new Error(`${path} has no figure with a figcaption whose id is "${id}"`);
      return start + names.get(id);
    });
}

/**
 * Adds a button below each figure that has a figcaption. The button shows the embed code (shell/page/page-embedding.js).
 *
 * @param {string} text
 * @param {ReturnType<typeof phrasesIn>} phrase
 */
const embeddable = (text, phrase) =>
  text.replace(
    /(<figcaption[^>]*><b>([^<]*)\.<\/b> (?:(?!<\/figure>).)*<\/figcaption>)(\s*<\/figure>)/gs,
    (_, figure, name, end) =>
      `${figure}\n  <p class="figure-embed needs-js"><button type="button" class="embed" aria-expanded="false" aria-label="${phrase`Embed ${name}`}">${phrase`Embed`}</button></p>${end}`,
  );

/** WORDS: number of words that a visitor reads per minute. FIGURE: number of minutes that a visitor spends on a figure. */
const [WORDS, FIGURE] = [200, 2];
/** Returns the number of minutes that a visitor needs for a page, rounded to a multiple of five. @param {string} text  HTML in English */
const minutesOf = (text) => {
  const words = text.replace(/<pre.*?<\/pre>|<[^>]*>/gs, ' ').split(/\s+/).length;
  return 5 * Math.max(1, Math.round((words / WORDS + FIGURE * text.split('<figcaption').length - FIGURE) / 5));
};

/**
 * Generates the index.html of a page.
 *
 * @param {string} source  contents of the page's page.html
 * @param {object} where
 * @param {string} where.path      path of the source, for error messages
 * @param {string} where.name      name of the page's folder; '' for the front page
 * @param {string[]} where.sheets  style sheets in the page's own folder
 * @param {string[]} [where.languages]  codes of the languages other than this one in which the page exists
 * @param {Translation} [where.translation]  translation to use if the page is not in English
 * @param {number} [where.minutes]  minutes that a visitor needs for the page (default: computed from the text of this page)
 */
export function framed(source, { path, name, sheets, languages = [], translation, minutes }) {
  const { facts, head, text, footer } = parsePage(source, path);
  const all = { ...translation?.facts, ...facts };
  const { title, weights, styles = '', scripts = '', takes, contents, ways = [] } = all;
  const phrase = translation ? phrasesIn(translation.table) : english;
  const up = name ? '../../' : '';
  const words = (/** @type {string} */ list) => list.split(' ').filter(Boolean);
  const [, figure] = /<figure id="([\w-]+)"/.exec(text) ?? [];
  /** If the page has no box of its own, it gets the standard box for the visitor's file (shell/model/own-file.js). */
  const own =
    takes && !/<div id="(?:[\w-]+-)?own"/.test(text)
      ? `<details id="own-file" class="take needs-js"><summary>${phrase`Your own file`}</summary></details>\n`
      : '';
  if (!figure) throw new Error(`${path} must have a <figure id="...">`);
  const sheet = (/** @type {string} */ address) => `<link rel="stylesheet" href="${address}">`;
  const script = (/** @type {string} */ of, blocking = '') => `<script type="module" async${blocking} src="${up}dist/${of}.js"></script>`;
  const early = (/** @type {string} */ of) => `<link rel="modulepreload" href="${up}dist/${of}.js">`;
  const tags = [
    ...(takes ? [`<meta name="takes" content="${takes}">`] : []),
    // These are the first requests of a page. Until before.js has arrived, a browser does not look for further files in the page. Without
    // HTTP/2, a browser sends only six requests at a time, and before.js must be among the first six.
    ...(weights ? [`<link rel="preload" as="fetch" crossorigin href="${up}../weights/${weights}">`] : []),
    script('page-first', ' blocking="render"'), // only 1 KB; runs before the first layout, which would delay the start of the worker
    ...(name ? ['page-start', 'shared'].map(early) : [early('page-front'), '<link rel="preload" as="style" href="dist/page-front.css">']),
    ...(languages.length > 0 ? alternates(translation?.lang, languages) : []),
    `<script src="${up}shell/page/before.js"${name ? '' : ' data-entrance'}></script>`, // reads the tags of alternates(), which precede it
    // Each language that has a front page has a manifest.
    `<link rel="manifest" href="${up}manifest${translation && LANGUAGES[translation.lang].whole ? `.${translation.lang}` : ''}.webmanifest">`,
    ...(translation ? [wordsTag(translation)] : []), // must come before the scripts that use these sentences
    script(name ? 'page-start' : 'page-front'),
    ...(name
      ? [
          ...['holders', 'page-shell', ...words(scripts)].map(early),
          ...['page', 'figures', 'controls', ...words(styles)].map((style) => sheet(`${up}shell/${style}.css`)),
          ...sheets.map(sheet),
          `<script type="module" src="${up}dist/page-${name}.js"></script>`,
        ]
      : [sheet('dist/page-front.css')]),
  ];
  const line = `made of ${basename(path)}`;
  const links = [...contents.map(link), `<a href="${up}manual/">${phrase`Manual`}</a>`, ...switchesTo(translation?.lang, languages)];
  const body = embeddable(numbered(text, phrase, path), phrase)
    .replace('    <!-- courses -->\n', () => courseLists(phrase))
    .replace('    <!-- tiles -->\n', () => tileLinks(translation?.ofPages))
    .replace(/<!-- pages (\w+) -->/g, (_, family) => linksOfFamily(family, name ? '../' : 'pages/', translation?.ofPages))
    .replace(/^( *)<\/figure>\n/m, (end) => end + own);
  const page = `${opening({ title: `: ${title}`, description: facts.description, up, line, connect: takes && ELSEWHERE, tags, lang: translation?.lang })}  <a class="skip" href="#${figure}">${phrase`Skip to the figure`}</a>

${masthead(up, links.join('\n      '), phrase`Contents`)}
  <main>
<p id="from-file" class="notice" hidden>${phrase`Opened from ${'<code>file:</code>'}, this page cannot run its scripts. Serve its folder (${'<code>python3 -m http.server</code>'}, then ${'<code>http://localhost:8000/</code>'}), or build the page as one file (${`<code>./build.sh site --single ${name || 'all'}</code>`}).`}</p>
<script>${FROM_FILE}</script>
<div class="opening">
${name ? `${placeOf(name, { ...all, minutes: minutes ?? minutesOf(text) }, phrase)}${head.replace(/<h1>(.*?)<\/h1>/s, '<p class="tagline">$1</p>')}` : head}
</div>
${body}${
  name
    ? `
${courseOf(name, all, phrase)}`
    : ''
}${
  ways.length > 0
    ? `
    <nav class="ways" aria-label="${phrase`Other systems`}">
${ways.map((way) => `      <p>${link(way)}</p>\n`).join('')}    </nav>
`
    : ''
}  </main>

  <footer class="colophon">
${footer}<p>${phrase`To cite: the nextpixel authors, ${TITLE}, 2026.`}</p>
  </footer>

</body>
</html>
`;
  return translation ? joined(deeper(page, name, translation)) : page;
}

/**
 * Reads a page.html and inserts the files of web/shell that it includes.
 *
 * @param {string} web     path of web/
 * @param {string} source
 * @param {string} [lang]
 */
async function included(web, source, lang) {
  const includes = /^ *<!-- include ([\w/-]+\.html)((?: \w+="[^"]*")*) -->\n/gm;
  const parts = await Promise.all(
    [...source.matchAll(includes)].map(async ([, path, words]) =>
      [...words.matchAll(/(\w+)="([^"]*)"/g)].reduce(
        (text, [, name, value]) => text.replaceAll(`{{${name}}}`, () => value),
        await readFile(join(web, 'shell', sourceFor(path, lang)), 'utf8'),
      ),
    ),
  );
  return source.replace(includes, () => parts.shift() ?? '');
}

/** Returns the path of a page's source file, relative to web/. @param {string} name @param {string} [lang] */
const pathOf = (name, lang) => join(name ? join('pages', name) : 'front', sourceFor('page.html', lang));

/**
 * Returns whether a page exists and is not a symbolic link.
 * @param {string} web
 * @param {string} name
 * @param {string} [lang]
 */
async function isThere(web, name, lang) {
  try {
    const path = join(await realpath(web), pathOf(name, lang));
    return (await stat(path)).isFile() && (await realpath(path)) === path;
  } catch {
    return false;
  }
}

/** Returns the folders of the pages that exist in a language. '' is the front page. @param {string} web @param {string} [lang] */
export async function pagesIn(web, lang) {
  const names = ['', ...(await pagesOf(web))];
  const there = await Promise.all(names.map((name) => isThere(web, name, lang)));
  return names.filter((_, i) => there[i]);
}

/**
 * Generates the index.html of a page from its files.
 *
 * @param {string} web   path of web/
 * @param {string} name  name of the page's folder; '' for the front page
 * @param {Common} [common]  what the pages in the language have in common; undefined for English
 */
async function made(web, name, common) {
  const lang = common?.lang;
  const path = pathOf(name, lang);
  const read = (/** @type {string} */ file) => readFile(join(web, file), 'utf8');
  const sheets = name
    ? (await readdir(join(web, dirname(path))))
        .filter((file) => file.endsWith('.css'))
        .sort((a, b) => Number(b === `${name}.css`) - Number(a === `${name}.css`) || (a < b ? -1 : 1))
    : [];
  const original = pathOf(name);
  const { facts, text } = parsePage(await included(web, await read(original)), `web/${original}`);
  const translation = common && (await translationOf(web, name, facts, common));
  const languages = await languagesOf(web, name);
  const minutes = minutesOf(text);
  return framed(await included(web, await read(path), lang), { path: `web/${path}`, name, sheets, languages, translation, minutes });
}

/** Returns the languages other than English in which a page exists. @param {string} web @param {string} name */
async function languagesOf(web, name) {
  const all = Object.keys(LANGUAGES);
  const there = await Promise.all(all.map((lang) => isThere(web, name, lang)));
  return all.filter((_, i) => there[i]);
}

/**
 * Generates all pages. Returns the HTML of each page, by the page's path relative to web/.
 *
 * @param {string} web  path of web/
 * @returns {Promise<Map<string, string>>}
 */
export async function framedPages(web) {
  const all = (
    await Promise.all(
      [undefined, ...Object.keys(LANGUAGES)].map(async (lang) => {
        const names = await pagesIn(web, lang);
        const common = lang ? await commonOf(web, lang, names) : undefined;
        return names.map((name) => ({ name, lang, common }));
      }),
    )
  ).flat();
  return new Map(
    await Promise.all(
      all.map(
        async ({ name, lang, common }) =>
          /** @type {[string, string]} */ ([
            `${name && `pages/${name}/`}${lang ? `${lang}/` : ''}index.html`,
            await made(web, name, common),
          ]),
      ),
    ),
  );
}

const PAGE = new RegExp(`^(?:pages/([\\w-]+)/)?(?:(${Object.keys(LANGUAGES).join('|')})/)?index\\.html$`);

/**
 * Returns the HTML of a page, generated from its current page.html.
 *
 * @param {string} web   path of web/
 * @param {string} path  path of the page's index.html relative to web/, with slashes
 * @returns {Promise<string | undefined>}  undefined if there is no corresponding page.html
 */
export async function pageOf(web, path) {
  const [found, name = '', lang] = PAGE.exec(path) ?? [];
  if (!found || !(await isThere(web, name, lang))) return undefined;
  return made(web, name, lang ? await commonOf(web, lang, await pagesIn(web, lang)) : undefined);
}
