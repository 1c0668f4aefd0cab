// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Opens a visitor's own file on a page. Checks that the page's figures run on it, that an unsuitable file is reported and changes nothing,
 * and that the original model can be restored.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { OUT } from './browser.js';
import { WAIT, inRepository } from './gallery.js';

/** @import { Page } from 'playwright-core' */

/** @typedef {{ file: string, wrong?: string, said?: RegExp }} Given */

/** For each page, a suitable file and the message for an unsuitable one. @type {Record<string, Given>} */
export const PAGES = {
  alignment: {
    file: 'seq2seq-general.gguf',
    wrong: 'de-en.gguf',
    said: /de-en\.gguf has the architecture transformer; .* only seq2seq has/,
  },
  captions: { file: 'captions-hard.gguf' },
  chains: { file: 'memm-en.gguf', wrong: 'parents-en.gguf', said: /parents-en\.gguf finds the heads of words/ },
  chorale: { file: 'chorales.gguf', wrong: 'sparse-digits.gguf', said: /draws pictures: the pages of pictures/ },
  fvsbn: { file: 'fvsbn.gguf', wrong: 'pixelcnn-digits.gguf', said: /architecture pixelcnn/ },
  'image-transformer': { file: 'image-transformer-digits-bw.gguf', wrong: 'emoji.gguf', said: /draws 32 by 32 pixels in colour/ },
  jukebox: { file: 'jukebox-codes.gguf', wrong: 'wavenet.gguf', said: /wavenet\.gguf speaks/ },
  'look-ahead': { file: 'digits.gguf' },
  opened: { file: 'opened.gguf', wrong: 'de-en.gguf', said: /^It has [\d,]+ numbers; this page can show at most 100,000/ },
  pixelcnn: { file: 'gated-pixelcnn-digits.gguf' },
  reading: { file: 'lstmn.gguf', wrong: 'stories.gguf', said: /architecture llama/ },
  sagan: { file: 'sagan-emoji-plain.gguf' },
  'same-digit': { file: 'image-transformer-digits-bw.gguf' },
  snail: { file: 'snail-omniglot.gguf' },
  sparse: { file: 'sparse-digits.gguf', wrong: 'chorales.gguf', said: /makes music/ },
  structure: { file: 'parents-en.gguf' },
  transformer: { file: 'opened.gguf' },
  wavenet: { file: 'wavenet.gguf', wrong: 'chorales.gguf', said: /makes music/ },
};

/** Pages that are tested with every change. */
export const SHORT = ['fvsbn'];
/** Pages with another control for a visitor's file: colour (own-model.test.js), texts (tokens.test.js, chat.test.js). */
export const ELSEWHERE = ['chat', 'colour', 'tokens'];

/** @param {Page} page @param {string} name @param {Buffer} [buffer] */
export const give = async (page, name, buffer) =>
  page
    .locator('#own-file input')
    .setInputFiles({ name, mimeType: '', buffer: buffer ?? (await readFile(inRepository(`weights/${name}`))) }, WAIT);
/** @param {Page} page @param {RegExp} text */
export const said = (page, text) => page.locator('#own-file .take-said', { hasText: text }).waitFor(WAIT);
/** Waits until the first figure has its model. @param {Page} page */
export const ready = (page) =>
  page.locator('figure:has(+ #own-file) [data-phase="done"], figure:has(+ #own-file) [data-phase="ready"]').first().waitFor(WAIT);
/** Checks that no error occurred on a page. @param {Page} page @param {string} name */
export const well = async (page, name) => assert.deepEqual(await page.locator('.load.failed:visible').allTextContents(), [], name);

/** @param {Page} page @param {string} name name of the page's folder */
export async function tryFile(page, name) {
  const { file, wrong = 'opened-decoder.gguf', said: why = /opened-decoder\.gguf writes text: the page of tokens/ } = PAGES[name];
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
