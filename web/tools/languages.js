// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Manages the languages of the pages. The translations into Korean, for example, are in these files:
 *
 *     page.ko.html             the Korean version of page.html, in the same folder. Its facts are the translated facts that readers see,
 *                              such as the title of the page
 *     ko.json                  in the folder of a page's scripts: translations of the English sentences in them (shell/page/phrase.js)
 *     shell/ko.json            translations of the sentences that all pages share
 *     front/ko.json            translations of the sentences of the frame and of the front page
 *     lib/kinds/KIND/ko.json   translations of what pages say about models of this kind
 *
 * The address of a Korean page is the English address followed by ko/. The head of a translated page contains the translations for the
 * page's scripts, so that no further file is fetched. English pages do not contain these translations.
 *
 * To add a language, add a row to LANGUAGES. Then create lib/element/words/CODE.js (the element's sentences) and the files described above.
 */

import { readFile, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';

import { factsOfPages, inBoth, translationsOf } from './facts.js';
/** @import { Facts } from './facts.js' */

/**
 * What the pages in a language have in common.
 *
 * @typedef {Object} Common
 * @property {string} lang
 * @property {Map<string, Partial<Facts>>} ofPages  facts of all pages, in this language if they are translated
 * @property {Record<string, string>} table  translations of the frame's sentences
 * @property {Record<string, string>} words  translations of the sentences in the scripts of all pages
 * @property {string[]} pages  folders of the pages that exist in this language
 */
/**
 * The translation of one page. `words` also contains the sentences in the page's own scripts.
 *
 * @typedef {Common & { facts: Facts }} Translation  facts: facts of the English page, used for each fact that the translation does not set
 */

/**
 * @typedef {Object} Language
 * @property {string} name    name of the language in the language itself, such as Deutsch
 * @property {string} locale  locale in the format of the Open Graph protocol
 * @property {boolean} whole  whether every page must exist in this language, completely translated (checked by tests/js/languages.test.js)
 */

/** The languages other than English in which pages exist, by their codes (BCP 47). @type {Record<string, Language>} */
export const LANGUAGES = {
  ko: { name: '한국어', locale: 'ko_KR', whole: true },
  de: { name: 'Deutsch', locale: 'de_DE', whole: false },
};
/** The language of files without a language code in their name. */
const ENGLISH = { name: 'English', locale: 'en', whole: true };

/** @param {string} [lang]  undefined for English @returns {Language} */
export const languageOf = (lang) => (lang ? LANGUAGES[lang] : ENGLISH);

/**
 * Returns the name of a file in another language, such as page.ko.html for page.html.
 * @param {string} path
 * @param {string} [lang]  undefined for English
 */
export const sourceFor = (path, lang) => (lang ? path.replace(/\.html$/, `.${lang}.html`) : path);

/** @param {string} path  path of a JSON file with translated sentences @returns {Promise<Record<string, string>>} */
async function tableOf(path) {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path}: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * Returns the translations of the sentences in PAGES of all kind.js files. Every page may show these sentences, because visitors may open
 * files of any kind.
 *
 * @param {string} web   path of web/
 * @param {string} lang
 */
export async function sentencesOfKinds(web, lang) {
  const kinds = await readdir(join(web, 'lib/kinds')).catch(() => []);
  const tables = await Promise.all(kinds.map((kind) => tableOf(join(web, 'lib/kinds', kind, `${lang}.json`))));
  return Object.assign({}, ...tables);
}

/**
 * @param {string} web   path of web/
 * @param {string} lang
 * @param {string[]} pages  folders of the pages that exist in this language
 * @returns {Promise<Common>}
 */
export async function commonOf(web, lang, pages) {
  const read = (/** @type {string} */ folder) => tableOf(join(web, folder, `${lang}.json`));
  const { default: element } = await import(`../lib/element/words/${lang}.js`);
  const [front, shell, kinds] = await Promise.all([read('front'), read('shell'), sentencesOfKinds(web, lang)]);
  const addresses = Object.fromEntries(pages.map((page) => [page && `pages/${page}/`, `${page && `pages/${page}/`}${lang}/`]));
  const [english, own] = [factsOfPages(web), factsOfPages(web, lang)];
  const table = { ...front, ...translationsOf(english, own) };
  return { lang, ofPages: inBoth(english, own), pages, table, words: { ...element, ...shell, ...kinds, ...addresses } };
}

/**
 * @param {string} web   path of web/
 * @param {string} name  name of the page's folder; '' for the front page
 * @param {Facts} facts  facts of the English page
 * @param {Common} common
 * @returns {Promise<Translation>}
 */
export async function translationOf(web, name, facts, common) {
  const own = name ? await tableOf(join(web, 'pages', name, `${common.lang}.json`)) : common.table;
  return { ...common, facts, words: { ...common.words, ...own } };
}

/**
 * Returns a tag for the head of a page, with the translations for the page's scripts. The tag contains data, not code, so every content
 * security policy allows it.
 * @param {Translation} translation
 */
export function wordsTag({ words }) {
  const others = Object.entries(words).filter(([english, text]) => english !== text);
  return `<script type="application/json" id="words-of-page">${JSON.stringify(Object.fromEntries(others)).replaceAll('<', '\\u003c')}</script>`;
}

/**
 * Returns the relative paths from a page to its versions in all other languages.
 *
 * @param {string | undefined} lang  language of the page
 * @param {string[]} others  other languages in which the page exists
 * @returns {[lang: string, way: string][]}
 */
const ways = (lang, others) => [
  ['en', lang ? '../' : './'],
  ...others.map((other) => /** @type {[string, string]} */ ([other, other === lang ? './' : `${lang ? '../' : ''}${other}/`])),
];

/**
 * Returns the tags that list a page's languages for search engines.
 * @param {string | undefined} lang  language of the page
 * @param {string[]} others  other languages in which the page exists
 */
export const alternates = (lang, others) =>
  ways(lang, others).map(([other, way]) => `<link rel="alternate" hreflang="${other}" href="${way}">`);

/**
 * Returns the links to a page's versions in other languages.
 * @param {string | undefined} lang  language of the page
 * @param {string[]} others  other languages in which the page exists
 */
export const switchesTo = (lang, others) =>
  ways(lang, others)
    .filter(([other]) => other !== (lang ?? 'en'))
    .map(
      ([other, way]) =>
        `<a class="language" href="${way}" hreflang="${other}" lang="${other}">${languageOf(other === 'en' ? undefined : other).name}</a>`,
    );

/**
 * Adapts a page's relative addresses to the folder of its language. A link to another page then leads to that page's version in the same
 * language, if there is one.
 *
 * @param {string} html
 * @param {string} name  name of the page's folder; '' for the front page
 * @param {Translation} translation
 */
export function deeper(html, name, { lang, pages }) {
  const base = `/web/${name && `pages/${name}/`}`;
  /** @param {string} address */
  const moved = (address) => {
    const { pathname, search, hash } = new URL(address, `https://host${base}`);
    const [found, page = ''] = /^\/web\/(?:pages\/([\w-]+)\/)?$/.exec(pathname) ?? [];
    const target = found && pages.includes(page) ? `${pathname}${lang}/` : pathname;
    const way = posix.relative(`${base}${lang}`, target) || '.';
    return `${way}${target.endsWith('/') ? '/' : ''}${search}${hash}`;
  };
  return html.replace(/<(?:a|img|link|next-pixel|script|source)\b[^>]*>/g, (tag) =>
    tag.includes(' hreflang="')
      ? tag
      : tag.replace(/( (?:href|src|model)=")(?!#|\/|[a-z]+:)([^"]+)"/g, (_, attribute, address) => `${attribute}${moved(address)}"`),
  );
}

/**
 * Keeps Korean particles from starting a line. Even if words are kept whole, browsers may break a line after a closing bracket, in front of
 * the particle.
 * @param {string} html
 */
export const joined = (html) => html.replace(/(<[^>]*>)|\)(?=(?:<\/\w+>)*[가-힣])/g, (_, tag) => tag ?? ')\u2060');
