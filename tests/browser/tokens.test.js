// SPDX-License-Identifier: MIT
// @ts-check

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load, tokenizer } from '../../web/lib/index.js';
import { GOLDEN } from '../js/helpers.js';
import { more } from '../more.js';
import { OUT, painted, session, sleep } from './browser.js';
import { axeFindsNothing, fits } from './checks.js';
import { FILE, grows, open } from './tokens.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

/** @param {Page} page */
const text = (page) => page.locator('#tale-text').evaluate((node) => node.textContent ?? '');
/** Pauses the run, unless the story has ended, and waits until the text so far is painted. @param {Page} page */
async function rest(page) {
  await page.locator('#run').evaluate((/** @type {HTMLButtonElement} */ button) => {
    if (!button.hidden && button.textContent === 'Pause') button.click();
  });
  await painted(page);
}
/** Waits for the list of alternatives to the marked token. @param {Page} page */
const alternatives = (page) => page.locator('#token-list[aria-busy=false] li').nth(7).waitFor();
/** Sets the highest speed. @param {Page} page */
const hurry = (page) => page.locator('#speed').fill('5');

test('the story is written without a click, and equals the story that the library writes', () =>
  withPage(async (page) => {
    await open(page);
    await hurry(page);
    await page.locator('#again.primary').waitFor(); // waits until the story has ended
    const told = await text(page);
    const model = await load(FILE);
    const run = model.generate('Once upon a time, there was a', { seed: 1, temperature: 0.8, topP: 0.95, minP: 0.02, maxTokens: 9000 });
    const whole = run.before + (await run.text());
    model.close();
    assert.equal(told, whole);
    assert.match((await page.locator('#pace').textContent()) ?? '', /First token after .* then .* each: [\d,]+ per second/);
  }));

test('reading speed, pause, resume, another seed and the address work', () =>
  withPage(async (page) => {
    await open(page, '#figure-tale?seed=42&prompt=One+day');
    await grows(page, 12);
    assert.match(await text(page), /^One day/);
    assert.equal(await page.locator('#seed').inputValue(), '42');
    await page.locator('#run').click();
    const paused = await text(page);
    await sleep(700);
    assert.equal(await text(page), paused);
    await page.locator('#run').click();
    const start = Date.now();
    await grows(page, paused.length + 20);
    assert.ok(Date.now() - start > 300, 'at a reader’s pace');
    await page.locator('#prompt').fill('The cat');
    await page.locator('#prompt').press('Enter');
    await page.waitForFunction(() => document.getElementById('tale-text')?.textContent?.startsWith('The cat'));
  }));

test('a token shows its alternatives; choosing one starts a branch, and the first branch can be restored', () =>
  withPage(async (page) => {
    await open(page);
    await hurry(page);
    await grows(page, 300);
    await rest(page);
    const before = await text(page);
    const frame = page.locator('.picture.page');
    await frame.focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowRight');
    await alternatives(page);
    assert.match((await page.locator('#token-note').textContent()) ?? '', /Token \d+: probability .*, surprisal [\d.]+ nats/);
    await page.keyboard.press('Enter');
    await page.locator('#token-list li:first-child button:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    // choosing the token that was drawn adds no branch
    if ((await page.locator('#token-list li:nth-child(2) [aria-current]').count()) > 0) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#branches li').nth(1).waitFor();
    await page.waitForFunction((was) => {
      const now = document.getElementById('tale-text')?.textContent ?? '';
      return now.length > 80 && now.slice(0, 60) !== was.slice(0, 60);
    }, before);
    await rest(page);
    const other = await text(page);
    assert.notEqual(other.slice(0, before.length), before);
    await page.locator('#branches button').first().click();
    await painted(page);
    assert.equal(await text(page), before);
    await page.locator('#branches button').nth(1).click();
    await painted(page);
    assert.equal((await text(page)).slice(0, 60), other.slice(0, 60));
  }));

test('pointing marks the token under the pointer, and arcs for each layer and head lead from this token to the tokens that it attends to', () =>
  withPage(
    async (page) => {
      await open(page);
      await hurry(page);
      await grows(page, 300);
      await rest(page);
      const box = await page.locator('.page-text').first().boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + 200, box.y + 45);
      await alternatives(page);
      const painted = () =>
        page.locator('.page-arcs').evaluate((/** @type {HTMLCanvasElement} */ canvas) => {
          const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(
            0,
            0,
            canvas.width,
            canvas.height,
          );
          let sum = 0;
          for (let i = 3; i < data.length; i += 4) sum += data[i];
          return sum;
        });
      await page.waitForFunction(() => /** @type {HTMLSelectElement} */ (document.getElementById('token-layer')).options.length > 1);
      await sleep(100);
      const all = await painted();
      assert.ok(all > 1000);
      await page.mouse.down(); // a click keeps the token marked
      await page.mouse.up();
      await page.locator('#token-layer').selectOption('0');
      await page.locator('#token-head').selectOption('1');
      await sleep(400);
      assert.notEqual(await painted(), all);
      await page.screenshot({ path: `${OUT}tokens.png` });
    },
    { complains: true },
  )); // Chromium warns about reading canvases

test('moving a filter shows the remaining probabilities immediately', () =>
  withPage(async (page) => {
    await open(page);
    await hurry(page);
    await grows(page, 200);
    await rest(page);
    await page.locator('.odds-chart rect').first().waitFor();
    const said = () => page.locator('#odds-said').textContent();
    for (const [id, value] of [
      ['top-p', '100'],
      ['min-p', '0'],
    ])
      await page.locator(`#${id}`).fill(value);
    assert.match((await said()) ?? '', /^All of \d+ tokens are left/);
    await page.locator('#top-k').fill('7');
    assert.equal(await page.locator('#top-k-text').textContent(), 'the first 4');
    assert.match((await said()) ?? '', /^4 of/);
    assert.equal(await page.locator('.odds-drawn').count(), 4);
    assert.equal(await page.locator('.odds-cut.topK').count(), 1);
    await page.locator('#temperature').fill('0');
    assert.equal(await page.locator('.odds-drawn').count(), 1);
    assert.match((await page.locator('.odds-chart').getAttribute('aria-label')) ?? '', /Probabilities of the next token\. 4 of/);
  }));

more('three temperatures use the same noise', () =>
  withPage(async (page) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page);
    await page.locator('#three-prompt').fill('Tom');
    await page.locator('#three-run').click();
    await page.locator('#three-run-text', { hasText: 'Play again' }).waitFor();
    const texts = await page.locator('#three-panels p.visually-hidden').evaluateAll((nodes) => nodes.map((node) => node.textContent));
    const model = await load(FILE);
    for (const [i, temperature] of [0.4, 0.8, 1.2].entries()) {
      const run = model.generate('Tom', { temperature, seed: 3, maxTokens: 90 });
      assert.equal(texts[i], run.before + (await run.text()));
    }
    model.close();
  }),
);

test('a text is tokenized while it is typed', () =>
  withPage(async (page) => {
    await open(page);
    const own = await tokenizer(FILE);
    await page.locator('#pieces-input').fill('A 日 dragon');
    const ids = [...own.encode('A 日 dragon', { special: true })];
    await page.waitForFunction((n) => document.querySelectorAll('.piece').length === n, ids.length);
    assert.deepEqual(
      await page.locator('.piece').evaluateAll((nodes) => nodes.map((node) => Number(/** @type {HTMLElement} */ (node).dataset.token))),
      ids,
    );
    await page.locator('.piece').first().focus();
    await page.keyboard.press('ArrowRight');
    assert.match((await page.locator('#pieces-note').textContent()) ?? '', new RegExp(`token ${ids[1]}.*bytes? [0-9A-F ]+`));
  }));

more('a visitor’s file is read, and invalid files are reported', () =>
  withPage(async (page) => {
    await open(page);
    const { name } = await page
      .locator('#card dd')
      .first()
      .evaluate((node) => ({ name: node.textContent }));
    assert.ok(name);
    await page
      .locator('#own-file')
      .setInputFiles({ name: 'other.gguf', mimeType: 'application/octet-stream', buffer: await readFile(`${GOLDEN}stories260K.gguf`) });
    await page.locator('#own-said', { hasText: 'writes now' }).waitFor();
    assert.match((await page.locator('#card').textContent()) ?? '', /SentencePiece/);
    await page.evaluate(() => scrollTo(0, 0));
    await grows(page, 30);
    await page.locator('#own-file').setInputFiles({ name: 'notes.gguf', mimeType: 'text/plain', buffer: Buffer.from('dear diary') });
    await page.locator('#own-said', { hasText: 'not a GGUF file' }).waitFor();
    await page
      .locator('#own-file')
      .setInputFiles({ name: 'grey.gguf', mimeType: 'application/octet-stream', buffer: await readFile(`${GOLDEN}fvsbn-tiny.gguf`) });
    await page.locator('#own-said', { hasText: 'draws pictures: the pages on pictures have models of this kind' }).waitFor();
    await page.locator('#own-address').fill('https://');
    await page.locator('#own-form button').click();
    await page.locator('#own-said', { hasText: 'https:// is not an address' }).waitFor();
    // Zero-width joiners and emoji variation selectors stay within words.
    const joined = '/\u0646\u200c\u0645\u2764\ufe0f.gguf';
    await page.route(
      ({ pathname }) => decodeURI(pathname) === joined,
      (route) => route.fulfill({ body: 'dear diary' }),
    );
    await page.locator('#own-address').fill(`\u200d${joined.replace('.', '\u200b.')}\u200c`);
    await page.locator('#own-form button').click();
    await page.locator('#own-said', { hasText: 'not a GGUF file' }).waitFor();
    await page.locator('#own-address').fill('\u200b/weights/stories.gguf\u2060'); // a pasted address with invisible characters
    await page.locator('#own-form button').click();
    await page.locator('#own-said', { hasText: 'writes now' }).waitFor();
  }),
);

more('with reduced motion, nothing begins automatically, and whole sentences appear', () =>
  withPage(async (page) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page);
    await sleep(500);
    assert.equal(await text(page), 'Once upon a time, there was a');
    await page.locator('#run').click();
    await grows(page, 200);
  }),
);

more('axe-core finds nothing with words and their alternatives shown, in light mode, in dark mode and on a phone', () =>
  withPage(
    async (page) => {
      await open(page);
      await hurry(page);
      await grows(page, 200);
      await rest(page);
      await page.locator('.picture.page').focus();
      await page.keyboard.press('ArrowLeft');
      await alternatives(page);
      await axeFindsNothing(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await axeFindsNothing(page);
      await page.setViewportSize({ width: 360, height: 740 });
      await painted(page);
      await axeFindsNothing(page);
      await fits(page);
    },
    { complains: true },
  ),
);
