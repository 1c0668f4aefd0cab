// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Each row of five lectures on self-attention and generative models: its content, and the figure on these pages in which a visitor changes
 * something and sees the result, or the reason why there is none. tests/pages has the rows of each page. Tests open each figure
 * (tests/browser/all/figures.test.js) and count them.
 */

import { rowsOf } from '../pages/browser.js';

/** @import { Figure } from '../pages/browser.js' */
/** @typedef {Figure & { page: string }} Alive  page: folder of the page */
/** @typedef {{ shows: string, why: string }} Still */

/** Rows that no figure shows. @type {Record<string, Still>} */
const STILL = {};

/** The rows in the order of the lectures. @type {Record<string, Alive | Still>} */
export const FIGURES = Object.fromEntries(
  Object.entries(rowsOf('figures'))
    .flatMap(([page, own]) => Object.entries(own).map(([name, row]) => /** @type {[string, Alive | Still]} */ ([name, { ...row, page }])))
    .concat(Object.entries(STILL))
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
);
