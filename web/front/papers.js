// SPDX-License-Identifier: MIT
// Lists the papers by year, each with the name of the system that implements it in this project. If a paper has a page, that page has a
// folder in web/pages and a card on the front page. The facts in the folder's page.html describe the paper.
// @ts-check
import { PAPERS_OF_PAGES } from './papers-of-pages.js';

/**
 * @typedef {Object} Pictures settings with which a model generates the pictures on a card, without input. still.png in the page's folder
 *   shows the same pictures
 * @property {string} file weight file
 * @property {number} seed
 * @property {number} samples
 * @property {number} temperature
 * @property {string} [label]
 * @property {true} [passes] whether the tint of each pixel shows how many earlier pixels the same pass drew
 */
/**
 * @typedef {Object} Paper
 * @property {number} year
 * @property {string} by
 * @property {string} title
 * @property {string} url
 * @property {string} system name of the system in this project
 * @property {string} [page] name of the page's folder in web/pages
 * @property {string} [shownOn] name of another page's folder, if that page shows this system
 * @property {string} [credit] text that the card shows instead of the authors and the year
 * @property {string} [says] description of the page's content
 * @property {Pictures} [pictures] pictures drawn on the card
 * @property {true} [colourful] whether the still keeps its colours in the dark theme; the colours of all other stills are inverted there
 */

/** The papers whose systems have no page of their own. @type {Paper[]} */
const OTHERS = [
  {
    year: 2015,
    by: 'Luong, Pham, Manning',
    title: 'Effective approaches to attention-based neural machine translation',
    url: 'https://arxiv.org/abs/1508.04025',
    system: 'Global and local attention',
    shownOn: 'alignment',
  },
];

/** All papers, sorted by year and then by address. The addresses of arXiv contain the month. */
export const PAPERS = [...PAPERS_OF_PAGES, ...OTHERS].sort((a, b) => a.year - b.year || (a.url < b.url ? -1 : Number(a.url > b.url)));
