// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Opens the page web/pages/tokens/. For visitors, the page loads weights/stories.gguf. The tests use stories260K instead, or the file that
 * the environment variable TALES names.
 */

import { readFile } from 'node:fs/promises';

import { GOLDEN } from '../js/helpers.js';
import { provide } from './browser.js';

/** @import { Page } from 'playwright-core' */

const PAGE = '/web/pages/tokens/';
/** The model that the tests use. */
export const FILE = process.env.TALES ?? `${GOLDEN}stories260K.gguf`;
const weights = await readFile(FILE);

/** Opens the page, and waits for its model. @param {Page} page @param {string} [hash] */
export async function open(page, hash = '') {
  await provide(page, '/weights*/stories.gguf', weights);
  await page.goto(`${PAGE}${hash}`);
  await page.locator('#run:enabled').waitFor();
}

/** Waits until the story has more than this number of characters. @param {Page} page @param {number} length */
export const grows = (page, length) =>
  page.waitForFunction((n) => (document.getElementById('tale-text')?.textContent ?? '').length > n, length);
