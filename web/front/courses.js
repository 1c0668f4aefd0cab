// SPDX-License-Identifier: MIT
// Defines the courses. The pages of a course are ordered so that each one prepares readers for the next. Each page has a question that
// readers can answer by trying something out. Facts at the top of each page.html state the page's question and its course.
// @ts-check

import { fileURLToPath } from 'node:url';

import { phrase as english } from '../shell/page/phrase.js';
import { factsOfPages } from '../tools/facts.js';
/** @import { Facts } from '../tools/facts.js' */

/** @typedef {typeof english} Phrase */

/**
 * @typedef {Object} Step
 * @property {string} page name of the page's folder in web/pages
 * @property {string} title name of the page
 * @property {string} at   id of the figure in which the reader can find the answer to the page's question
 * @property {string} asks the question
 */
/** @typedef {{ name: string, says: string, steps: Step[] }} Course */

/** The names of the courses, each with a description. */
const NAMES = {
  'From a coin to a picture': 'One pixel, sample or note at a time, each given those before it.',
  'From a sentence to its translation': 'Attention between two sentences, then within one, then as the only mechanism.',
  'From noise to a thing': 'A whole picture in one pass, from random numbers; a sound in one pass, from codes drawn before it.',
  Structure: 'Answers whose parts must fit together, and attention that must choose.',
};

/** The facts of all pages, read from the page.html of each page. */
export const FACTS = factsOfPages(fileURLToPath(new URL('..', import.meta.url)));

/** @param {string} name  name of a course @returns {Step[]} */
function stepsOf(name) {
  const found = [...FACTS].flatMap(([page, { title, course = '', knows, asks, at }]) => {
    const [, own, place] = /^(.*), (\d+)$/.exec(course) ?? [];
    if (own !== name) return [];
    if (!title || !knows || !asks || !at)
      throw new Error(`web/pages/${page}/page.html belongs to a course, so it needs the facts title, knows, asks and at`);
    return [{ place: Number(place), step: { page, title, asks, at } }];
  });
  found.sort((a, b) => a.place - b.place);
  const wrong = found.find(({ place }, i) => place !== i + 1);
  if (wrong)
    throw new Error(`the pages of the course "${name}" must be numbered from 1: ${wrong.step.page} has the position ${wrong.place}`);
  return found.map(({ step }) => step);
}

/** Each page belongs to exactly one course. @type {Course[]} */
export const COURSES = Object.entries(NAMES).map(([name, says]) => ({ name, says, steps: stepsOf(name) }));

/** Returns the id that a course has on the front page. @param {string} name */
export const idOf = (name) => `course-${name.toLowerCase().replaceAll(' ', '-')}`;

/** Names of all pages, sorted by course and then by position in the course. */
const IN_ORDER = COURSES.flatMap(({ steps }) => steps.map(({ page }) => page));

/** The pages with a tile on the front page, in the order of the tiles. The fact `tile` in page.html begins with the tile's position. */
export const WITH_TILES = IN_ORDER.filter((page) => FACTS.get(page)?.tile).sort((a, b) => positionOf(a) - positionOf(b));

/** @param {string} page */
function positionOf(page) {
  const position = Number.parseInt(FACTS.get(page)?.tile ?? '', 10);
  if (Number.isNaN(position)) throw new Error(`web/pages/${page}/page.html: the fact "tile" must begin with a position`);
  return position;
}

/** Returns the HTML of the tiles. @param {typeof FACTS} [facts]  facts of all pages, in the language of the front page */
export const tileLinks = (facts = FACTS) =>
  WITH_TILES.map((page) => {
    const name = facts.get(page)?.tile?.replace(/^\d+ /, '');
    return `    <a class="tile" data-tile="${page}" href="pages/${page}/"><canvas aria-hidden="true"></canvas><span class="tile-name">${name}</span></a>\n`;
  }).join('');

/**
 * Returns the HTML of links to the pages of a family of models, in the order of the courses.
 *
 * @param {string} family
 * @param {string} up  path to the folder of the pages
 * @param {typeof FACTS} [facts]  facts of all pages, in the language of the page that gets the links
 */
export function linksOfFamily(family, up, facts = FACTS) {
  const pages = IN_ORDER.filter((page) => FACTS.get(page)?.family === family);
  if (pages.length === 0) throw new Error(`no page has the family ${family}`);
  return pages.map((page) => `<a href="${up}${page}/">${facts.get(page)?.short}</a>`).join(', ');
}

/**
 * Returns the HTML of the box in which visitors can store the files of a course on their device (shell/page/page-keep.js).
 * @param {string} name  name of the course
 * @param {Phrase} phrase
 */
const keeping = (name, phrase) =>
  `      <details class="take keep needs-js" data-course="${idOf(name)}"><summary>${phrase`Keep this course on this device`}</summary></details>
`;

/** Returns the HTML for the course lists on the front page. @param {Phrase} [phrase] translates into the language of the page */
export const courseLists = (phrase = english) =>
  COURSES.map(
    ({ name, says, steps }) => `    <section class="course" id="${idOf(name)}">
      <h3>${phrase(name)}</h3>
      <p>${phrase(says)}</p>
      <ol>${steps.map(({ page, title }) => `<li><a href="pages/${page}/">${phrase(title)}</a></li>`).join('')}</ol>
${keeping(name, phrase)}    </section>
`,
  ).join('');

/** Returns the course to which a page belongs, and the page's position in the course. @param {string} page */
function stepOf(page) {
  const course = COURSES.find(({ steps }) => steps.some((step) => step.page === page));
  if (!course) throw new Error(`the page ${page} is not in any course: page.html needs the fact "course"`);
  const { name, steps } = course;
  const here = steps.findIndex((step) => step.page === page);
  return { name, here, of: steps.length, before: steps[here - 1], next: steps[here + 1] };
}

/**
 * Returns the HTML of a page's header. It contains the page's position in the course, the reading time, the prerequisites, and the page's
 * name with the year of the paper.
 *
 * @param {string} page
 * @param {Facts & { minutes: number }} facts  facts in the language of the page
 * @param {Phrase} [phrase]
 */
export function placeOf(page, { title, year, credit = year, knows, minutes }, phrase = english) {
  const { name, here, of, before, next } = stepOf(page);
  const to = (/** @type {Step} */ other, /** @type {string} */ rel, /** @type {string} */ arrow) =>
    `<a href="../${other.page}/" rel="${rel}" title="${phrase(other.title)}">${arrow}</a>`;
  const parts = [
    phrase`${`<a href="../../#${idOf(name)}">${phrase(name)}</a>`}, ${here + 1} of ${of}`,
    phrase`${minutes} minutes`,
    phrase`know first: ${knows}`,
    ...(before ? [to(before, 'prev', phrase`← previous`)] : []),
    ...(next ? [to(next, 'next', phrase`next →`)] : []),
  ];
  return `<div class="place">
  <nav class="where" aria-label="${phrase`Place in the course: ${phrase(name)}`}">${parts.map((part) => `<span>${part}</span>`).join(' ')}</nav>
  <div class="system"><h1>${title}</h1> <span>${credit}</span></div>
</div>
`;
}

/**
 * Returns the HTML that shows a page's place in its course: a question, and links to the previous and the next page.
 * @param {string} page
 * @param {Facts} facts  facts in the language of the page
 * @param {Phrase} [phrase]
 */
export function courseOf(page, { asks, at }, phrase = english) {
  const { name, here, of, before, next } = stepOf(page);
  const place = [
    phrase`${`<a href="../../#${idOf(name)}">${phrase(name)}</a>`}, ${here + 1} of ${of}`,
    ...(before ? [phrase`before this ${`<a href="../${before.page}/" rel="prev">${phrase(before.title)}</a>`}`] : []),
    next ? phrase`next ${`<a href="../${next.page}/" rel="next">${phrase(next.title)}</a>`}` : phrase`this is the last page`,
  ];
  return `    <nav class="course-place" aria-label="${phrase`Course: ${phrase(name)}`}">
      <p class="course-asks"><strong>${phrase`A question.`}</strong> ${asks} <a href="#${at}">${phrase`Try it`}</a></p>
      <p>${place.join('; ')}.</p>
${keeping(name, phrase)}    </nav>
`;
}
