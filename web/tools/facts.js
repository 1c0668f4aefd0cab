// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the facts of a page: the lines at the top of its page.html. frame.js describes the file and each fact. */

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {Object} Facts
 * @property {string} title   name of the page and of its system
 * @property {string} description  text that a search engine shows
 * @property {string} [weights]  weight file that starts to load immediately
 * @property {string} [styles]   style sheets of web/shell besides page.css, figures.css and controls.css
 * @property {string} [scripts]  modules of web/dist besides the ones that every page loads
 * @property {string} [takes]    models that visitors may name in the page's address (web/shell/page/asked.js)
 * @property {string[]} contents  sections of the page: an id and a text
 * @property {string[]} [ways]    pages to continue with: an address and a text
 * @property {string} [paper]  address and title of the paper
 * @property {string} [by]     authors of the paper
 * @property {string} [year]   year of the paper
 * @property {string} [credit]  text on the card that replaces authors and year
 * @property {string} [says]   description of the page's content on its card
 * @property {string} [pictures]  the pictures that the card draws: a weight file, followed by settings such as seed=1
 * @property {string} [colourful]  "yes" if the still on the card keeps its colours in the dark theme; the colours of all other stills are
 *   inverted there
 * @property {string} [tile]   position of the page's tile on the front page and its name, such as "4 Four voices, note by note"; in a
 *   translation, only the name
 * @property {string} [family]  family of the page's model, for the tables that compare families
 * @property {string} [short]   short name of the model, for these tables
 * @property {string} [course]  name of the page's course and its position in the course, such as "Structure, 2"
 * @property {string} [knows]  prerequisites of the page
 * @property {string} [asks]   the question of the page, as HTML; readers can answer it by trying something out
 * @property {string} [at]     id of the figure in which the reader can find the answer
 */

/** The facts that readers see, without the lists `contents` and `ways`. A translation contains these facts. */
export const TRANSLATED = /** @type {const} */ (['title', 'description', 'credit', 'says', 'tile', 'short', 'knows', 'asks']);
/** For these facts, the English text is the key with which scripts and the frame look up the translation. */
const LOOKED_UP = /** @type {const} */ (['title', 'credit', 'says']);
const KEYS = [
  ...['title', 'description', 'weights', 'styles', 'scripts', 'takes', 'contents', 'ways'],
  ...['paper', 'by', 'year', 'credit', 'says', 'pictures', 'colourful', 'tile', 'family', 'short', 'course', 'knows', 'asks', 'at'],
];

/**
 * Parses the facts of a page.html. A translation has only some of the facts.
 *
 * @param {string} source
 * @param {string} path  path of the file, for error messages
 * @returns {{ facts: Partial<Facts>, body: string }}
 */
export function parseFacts(source, path) {
  const [, lines, body] = /^---\n(.*?)\n---\n(.*)$/s.exec(source) ?? [];
  if (lines === undefined) throw new Error(`${path} must begin with its facts, between two lines of ---`);
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
    if (name === undefined || !KEYS.includes(name)) throw new Error(`${path}: "${line}" must begin with one of ${KEYS.join(', ')}`);
    facts[(key = name)] = value ?? [];
  }
  return { facts, body };
}

/**
 * Returns the facts of all pages that exist in a language. The keys of the map are the names of the pages' folders.
 *
 * @param {string} web    path of web/
 * @param {string} [lang]  undefined for English
 */
export function factsOfPages(web, lang) {
  /** @type {Map<string, Partial<Facts>>} */
  const all = new Map();
  const file = lang ? `page.${lang}.html` : 'page.html';
  for (const entry of readdirSync(join(web, 'pages'), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join('pages', entry.name, file);
    let source;
    try {
      source = readFileSync(join(web, path), 'utf8');
    } catch {
      continue; // the page does not exist in this language
    }
    all.set(entry.name, parseFacts(source, `web/${path}`).facts);
  }
  return all;
}

/**
 * Returns the facts of all pages in another language. Facts that are not translated are in English.
 *
 * @param {Map<string, Partial<Facts>>} english
 * @param {Map<string, Partial<Facts>>} own  the translated facts of the pages that exist in the other language
 */
export const inBoth = (english, own) => new Map([...english].map(([name, facts]) => [name, { ...facts, ...own.get(name) }]));

/**
 * Maps the English text of each fact in LOOKED_UP to its translation. The scripts of the front page and the frame of other pages use this
 * map.
 *
 * @param {Map<string, Partial<Facts>>} english
 * @param {Map<string, Partial<Facts>>} own  the translated facts of the pages that exist in the other language
 * @returns {Record<string, string>}
 */
export const translationsOf = (english, own) =>
  Object.fromEntries(
    [...english].flatMap(([name, facts]) =>
      LOOKED_UP.flatMap((key) => {
        const [text, translated] = [facts[key], own.get(name)?.[key]];
        return text && translated ? [[text, translated]] : [];
      }),
    ),
  );
