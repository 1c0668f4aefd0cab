// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the manual's playground: a visitor chooses a model, a verb and options, and sees the call as code, and its result. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { more } from '../more.js';
import { OUT, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const LONG = { timeout: 60000 };
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const said = (/** @type {Page} */ page, /** @type {RegExp | string} */ text) => page.locator('#play-said').getByText(text).waitFor(LONG);
const code = (/** @type {Page} */ page) => page.locator('#play-code').textContent();

test('the playground shows a form made from the tables, the call as code, and the result of the call', { timeout: 120000 }, () =>
  withPage(async (page) => {
    await page.goto('/web/manual/playground.html');
    await said(page, /parameters, image-transformer/);
    assert.deepEqual(await page.locator('#play-verb option').allTextContents(), ['complete()', 'generate()', 'score()']);
    await page.getByLabel('Verb').selectOption('generate');
    await page.locator('#play-more summary').click();
    await page.getByLabel('label').selectOption('7');
    await page.getByLabel('seed').fill('7');
    assert.equal(
      await code(page),
      "import { load } from 'nextpixel';\n\nconst model = await load('digits.gguf');\nconst run = model.generate({ label: '7', seed: 7 });\nawait run.drawTo(canvas);",
    );
    await page.getByRole('button', { name: 'Run' }).click();
    await said(page, 'Done');
    assert.match((await page.locator('#play-result').textContent()) ?? '', /"seed": 7/);
    const drawn = () => page.locator('#play-canvas').evaluate((/** @type {HTMLCanvasElement} */ canvas) => canvas.toDataURL());
    const first = await drawn();
    await page.screenshot({ path: `${OUT}playground.png`, fullPage: true });
    await page.locator('#play-said').evaluate((element) => {
      element.textContent = '';
    });
    await page.getByRole('button', { name: 'Run' }).click();
    await said(page, 'Done');
    assert.equal(await drawn(), first);
    await page.getByLabel('Verb').selectOption('score');
    await page.getByRole('button', { name: 'Run' }).click();
    await page
      .locator('#play-result')
      .getByText(/"bitsPerDim": 0\.\d/)
      .waitFor(LONG);
    await page.getByLabel('Verb').selectOption('generate');
    await page.getByLabel('temperature').fill('-1'); // the library refuses this value
    await page.getByRole('button', { name: 'Run' }).click();
    await said(page, /temperature must be/);
  }),
);

more('the playground opens a visitor’s file of another kind, and takes a sentence or a text as input', { timeout: 120000 }, () =>
  withPage(async (page) => {
    await page.goto('/web/manual/playground.html');
    await said(page, /parameters, /);
    await page.getByLabel('Or your own file').setInputFiles(`${ROOT}weights/opened.gguf`);
    await said(page, /parameters, transformer/);
    await page.getByLabel('sentence').fill('drawer');
    assert.match((await code(page)) ?? '', /load\('opened\.gguf'\);\nconst run = model\.translate\('drawer'\);/);
    await page.getByRole('button', { name: 'Run' }).click();
    await said(page, 'Done');
    assert.match((await page.locator('#play-canvas').textContent()) ?? '', /reward/);
    await page.getByLabel('Model', { exact: true }).selectOption('crf-en.gguf');
    await said(page, /parameters, chain/);
    await page.getByRole('button', { name: 'Run' }).click();
    await said(page, 'Done');
    assert.match((await page.locator('#play-result').textContent()) ?? '', /"NOUN"/);
    await page.getByLabel('Model', { exact: true }).selectOption('parents-en.gguf');
    await said(page, /parameters, tree/);
    assert.match(
      (await code(page)) ?? '',
      /const answer = await model\.parse\('Time flies like an arrow\.'\);\nawait answer\.drawTo\(canvas\);/,
    );
    await page.getByRole('button', { name: 'Run' }).click();
    await said(page, 'Done');
    assert.match((await page.locator('#play-result').textContent()) ?? '', /"heads"/);
    await page.getByLabel('Or your own file').setInputFiles(`${ROOT}package.json`);
    await said(page, /not a GGUF file/);
  }),
);
