// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Lists the topics of five lectures on self-attention and generative models. For each topic, the list names a figure in which a
 * visitor changes something and sees the result. If there is no such figure, the list gives the reason. tests/pages has the topics
 * of each page. Tests open each figure (tests/browser/all/figures.test.js) and count the topics.
 */

import { rowsOf } from '../pages/browser.js';

/** @import { Figure } from '../pages/browser.js' */
/** @typedef {Figure & { page: string }} Alive  page: name of the page's folder */
/** @typedef {{ shows: string, why: string }} Still */

/** Topics that no figure shows. @type {Record<string, Still>} */
const STILL = {};

/** All topics, in the order of the lectures. @type {Record<string, Alive | Still>} */
export const FIGURES = Object.fromEntries(
  Object.entries(rowsOf('figures'))
    .flatMap(([page, own]) => Object.entries(own).map(([name, row]) => /** @type {[string, Alive | Still]} */ ([name, { ...row, page }])))
    .concat(Object.entries(STILL))
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
);
