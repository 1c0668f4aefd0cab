// SPDX-License-Identifier: MIT
// @ts-check

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SIDE, toyCaption } from '../js/toy-caption.js';
import { more } from '../more.js';
import { OUT, session } from './browser.js';
import { give, said } from './own-file.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const PAGE = '/web/pages/captions/';

/** @param {Page} page */
const caption = async (page) => (await page.locator('#caption .word > span').allTextContents()).join(' ');
/** @param {Page} page */
const told = (page) => page.locator('#transport[data-phase="done"]').waitFor();

test('a scene is captioned without a click; an object is added, moved, enlarged and removed with the keyboard', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await told(page);
    const first = await caption(page);
    assert.match(first, /^(a|an|two|three) /);
    await page.locator('#figure-tell').screenshot({ path: `${OUT}captions.png` });
    assert.equal(await page.locator('.handle').count(), 3);
    assert.match((await page.locator('#scene-canvas').getAttribute('aria-label')) ?? '', new RegExp(first));

    await page.getByRole('button', { name: 'Clear' }).press('Enter');
    await page.locator('#caption', { hasText: 'Put something on the scene.' }).waitFor();
    await page.locator('.thing[aria-label="guitar"]').press('Enter');
    await page.locator('#caption .word > span', { hasText: 'guitar' }).waitFor();
    await told(page);
    assert.equal(await caption(page), 'a guitar');
    const handle = page.locator('.handle');
    const label = await handle.getAttribute('aria-label');
    await handle.press('ArrowRight');
    assert.notEqual(await handle.getAttribute('aria-label'), label);
    await handle.press('+');
    assert.match((await handle.getAttribute('aria-label')) ?? '', /27 wide/);
    await handle.press('Delete');
    assert.equal(await page.locator('.handle').count(), 0);
  }));

test('objects are dragged; attention can be set by hand; soft and hard attention are shown side by side', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await told(page);
    const handle = page.locator('.handle').first();
    const box = /** @type {NonNullable<Awaited<ReturnType<typeof handle.boundingBox>>>} */ (await handle.boundingBox());
    const label = await handle.getAttribute('aria-label');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 30, box.y + box.height / 2 + 20, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await handle.getAttribute('aria-label'), label);
    await told(page);

    await page.locator('#figure-compare').scrollIntoViewIfNeeded();
    await page.locator('#compare-words input').first().waitFor({ state: 'attached' });
    assert.equal((await page.locator('#compare-words span').allTextContents()).join(' '), await caption(page));
    await page.locator('#compare-words input').nth(1).press('Space');
    assert.match((await page.locator('#compare-hard-said').textContent()) ?? '', /^Drawn: row \d, column \d\.$/);
    const off = async () => Number(/^(\d+)%/.exec((await page.locator('#compare-mean-said').textContent()) ?? '')?.[1]);
    await page.locator('#draws').fill('1');
    const one = await off();
    await page.locator('#draws').fill('64');
    assert.ok((await off()) <= one); // the mean of 64 drawn locations is closer to the distribution than one drawn location
    await page.locator('#figure-compare').screenshot({ path: `${OUT}captions-compare.png` });

    const canvas = page.locator('#hand-canvas');
    await canvas.scrollIntoViewIfNeeded();
    await canvas.press('ArrowDown');
    await page.locator('#hand-said', { hasText: /\w/ }).waitFor();
  }));

more('a visitor’s model may attend to 4 x 4 locations in pictures of 8 x 8 pixels', () =>
  withPage(async (page) => {
    assert.equal(SIDE, 8);
    await page.goto(PAGE);
    await told(page);
    await give(page, 'mine.gguf', Buffer.from(toyCaption({ end: -3 })));
    await said(page, /^mine\.gguf, a model with [\d,]+ parameters, (is running now|now replaces)/);
    await page
      .locator('#caption .word > span', { hasText: /^w\d+$/ })
      .first()
      .waitFor();
    await told(page);
    await page.locator('#caption .word').first().hover();
    /**
     * Returns the brightness of each of the 4 x 4 squares on the canvas where the visitor moves the network's attention. The square that
     * the network attends to is bright.
     */
    const lights = () =>
      page.evaluate(() => {
        const copy = new OffscreenCanvas(64, 64);
        const context = /** @type {any} */ (copy.getContext('2d', { willReadFrequently: true }));
        context.drawImage(document.getElementById('hand-canvas'), 0, 0);
        return Array.from({ length: 16 }, (_, i) => context.getImageData(16 * (i & 3) + 8, 16 * (i >> 2) + 8, 1, 1).data[0]);
      });
    const canvas = page.locator('#hand-canvas');
    await canvas.scrollIntoViewIfNeeded();
    await page.locator('#hand-said', { hasText: /w\d/ }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).press('Enter'); // empties the scene, so that only attention makes squares bright
    await page.locator('.thing[aria-label="guitar"]').press('Enter');
    await told(page);
    for (let i = 0; i < 6; i++) await canvas.press(i % 2 ? 'ArrowDown' : 'ArrowRight');
    let lit = await lights();
    for (let i = 0; i < 100 && lit[15] < 200; i++) {
      await page.waitForTimeout(50);
      lit = await lights();
    }
    assert.equal(lit.indexOf(Math.max(...lit)), 15, `the light is on the last of 16 locations: ${lit}`);
  }),
);
