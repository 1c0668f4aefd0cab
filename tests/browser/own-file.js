// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Opens a visitor's own model file on a page. Checks that the page's figures run with this model, that an unsuitable file is reported and
 * changes nothing, and that the original model can be restored.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { ownFiles } from '../pages/browser.js';
import { OUT } from './browser.js';
import { WAIT, inRepository } from './gallery.js';

/** @import { Page } from 'playwright-core' */
/** @import { OwnFile } from '../pages/browser.js' */

/** The pages with the common box for opening a file. - @type {Record<string, OwnFile>} */
export const PAGES = Object.fromEntries(
  Object.entries(ownFiles()).flatMap(([name, row]) => (typeof row === 'string' ? [] : [/** @type {const} */ ([name, row])])),
);
/**
 * For each page name: a weight file that this page cannot show (`wrong`), and the message that the page must display (`said`).
 * @type {Record<string, { wrong: string, said: RegExp }>}
 */
const OF_OTHERS = Object.fromEntries(
  Object.values(PAGES).flatMap(({ file, elsewhere: { pages, said } = { pages: [], said: /./ } }) =>
    pages.map((name) => {
      if (!(name in PAGES)) throw new Error(`no page ${name} opens ${file}: remove it from elsewhere`);
      return [name, { wrong: file, said }];
    }),
  ),
);
/** The pages that have another control for opening a file instead of this box. Other tests cover these pages. */
export const ELSEWHERE = Object.keys(ownFiles()).filter((name) => !(name in PAGES));
/** The pages that `npm test` covers. */
export const SHORT = Object.keys(PAGES).filter((name) => PAGES[name].always);

/** @param {Page} page @param {string} name @param {Buffer} [buffer] */
export const give = async (page, name, buffer) =>
  page
    .locator('#own-file input')
    .setInputFiles({ name, mimeType: '', buffer: buffer ?? (await readFile(inRepository(`weights/${name}`))) }, WAIT);
/** @param {Page} page @param {RegExp} text */
export const said = (page, text) => page.locator('#own-file .take-said', { hasText: text }).waitFor(WAIT);
/** Waits until the model of the first figure is loaded. @param {Page} page */
export const ready = (page) =>
  page.locator('figure:has(+ #own-file) [data-phase="done"], figure:has(+ #own-file) [data-phase="ready"]').first().waitFor(WAIT);
/** Checks that the page shows no error. @param {Page} page @param {string} name */
export const well = async (page, name) => assert.deepEqual(await page.locator('.load.failed:visible').allTextContents(), [], name);

/** @param {Page} page @param {string} name name of the page's folder */
export async function tryFile(page, name) {
  const { file } = PAGES[name];
  const { wrong = 'opened-decoder.gguf', said: why = /opened-decoder\.gguf writes text: the page on tokens/ } =
    OF_OTHERS[name] ?? PAGES[name];
  await page.goto(`/web/pages/${name}/`);
  await ready(page);
  await give(page, file);
  await said(page, new RegExp(`^${file.replace('.', '\\.')}, a model with [\\d,]+ parameters, (is running now|now replaces)`));
  await ready(page);
  await well(page, file);
  await page.locator('#own-file').screenshot({ path: `${OUT}own-file-${name}.png` });
  await give(page, wrong);
  await said(page, why);
  await well(page, wrong);
  await page.locator('#own-file button', { hasText: "Back to the page's own model" }).click();
  await said(page, /uses its own model again/);
  await ready(page);
  await well(page, 'ours');
}
