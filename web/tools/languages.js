// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Pages in Korean. Beside page.html stands page.ko.html, and beside the scripts ko.json, with a sentence under each English one that they say (shell/page/phrase.js); what all
 * pages say is in shell/ko.json, what the frame and the front page say in front/ko.json. A page in Korean has an address of its own, ko/ below that of the English one,
 * and carries the sentences of its scripts in its head, so that nothing is fetched for them and pages in English know nothing of it.
 */

import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

import element from '../lib/element/words/ko.js';

/** @import { Facts } from './frame.js' */

/**
 * @typedef {Object} Translation
 * @property {string} lang
 * @property {Facts} facts  of the page in English, for what is the same in both
 * @property {Record<string, string>} table  what the frame says
 * @property {Record<string, string>} words  what the page's scripts say
 * @property {string[]} pages  those that are there in this language, by their folders
 */

/** The names of the languages, as their speakers write them. @type {Record<string, string>} */
const NAMES = { en: 'English', ko: '한국어' };

/** The file of a text in a language: page.ko.html beside page.html. @param {string} path @param {string} [lang]  nothing: English */
export const sourceFor = (path, lang) => (lang ? path.replace(/\.html$/, `.${lang}.html`) : path);

/** @param {string} path  of a table @returns {Promise<Record<string, string>>} */
async function tableOf(path) {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path}: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {string} web   the folder
 * @param {string} name  of the page's folder; '': the front page
 * @param {Pick<Translation, 'lang' | 'facts' | 'pages'>} rest
 * @returns {Promise<Translation>}
 */
export async function translationOf(web, name, { lang, facts, pages }) {
  const read = (/** @type {string} */ folder) => tableOf(join(web, folder, `${lang}.json`));
  const [front, shell, own] = await Promise.all([read('front'), read('shell'), read(name ? `pages/${name}` : 'front')]);
  const addresses = Object.fromEntries(pages.map((page) => [page && `pages/${page}/`, `${page && `pages/${page}/`}${lang}/`]));
  return { lang, facts, pages, table: front, words: { ...element, ...shell, ...own, ...addresses } };
}

/** The sentences of a page's scripts, in its head: data, which no policy forbids. @param {Translation} translation */
export function wordsTag({ words }) {
  const others = Object.entries(words).filter(([english, text]) => english !== text);
  return `<script type="application/json" id="words-of-page">${JSON.stringify(Object.fromEntries(others)).replaceAll('<', '\\u003c')}</script>`;
}

/** The way between the addresses of both, from the English one or from the other. @param {string} [lang] */
const wayTo = (lang) => ({ en: lang ? '../' : './', ko: lang ? './' : 'ko/' });

/** For search engines. @param {string} [lang]  of the page; nothing: English */
export const alternates = (lang) => Object.entries(wayTo(lang)).map(([other, way]) => `<link rel="alternate" hreflang="${other}" href="${way}">`);

/** The link to the other one. @param {string} [lang] */
export function switchTo(lang) {
  const other = lang ? 'en' : 'ko';
  return `<a class="language" href="${wayTo(lang)[other]}" hreflang="${other}" lang="${other}">${NAMES[other]}</a>`;
}

/**
 * A page as it lies in its folder of a language: its addresses are relative to that, and lead to pages in that language where there are such.
 *
 * @param {string} html
 * @param {string} name  of the page's folder; '': the front page
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
  return html.replace(/<(?:a|img|link|next-pixel|script|source)\b[^>]*>/g, (tag) => (tag.includes(' hreflang="') ? tag
    : tag.replace(/( (?:href|src|model)=")(?!#|\/|[a-z]+:)([^"]+)"/g, (_, attribute, address) => `${attribute}${moved(address)}"`)));
}

/** Text in which no line begins with a particle: browsers break after a bracket that closes, even where words are kept whole. @param {string} html */
export const joined = (html) => html.replace(/(<[^>]*>)|\)(?=(?:<\/\w+>)*[가-힣])/g, (_, tag) => tag ?? ')\u2060');
