// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the full-screen mode for lecture halls, which shows the figures of a page one by one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { more } from '../more.js';
import { WAIT, firstFigure, session } from './browser.js';
import { PHONE, axeFindsNothing } from './checks.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

/** Returns the visible figures, by id, and the other visible parts, by tag name. @param {Page} page */
const seen = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main figure[id], main h1, main h2, .masthead, .colophon')]
      .filter((one) => one.checkVisibility())
      .map((one) => one.id || one.tagName),
  );

test('Alt+P shows the figures one by one; arrow keys change the figure, unless a control has the focus; a figure can be used; Escape returns to the page at this figure', () =>
  withPage(
    async (page) => {
      await page.goto('/web/pages/fvsbn/');
      await firstFigure(page).waitFor(WAIT);
      const plain = await page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
      await page.keyboard.press('Alt+p');
      assert.deepEqual(await seen(page), ['figure-endings']);
      assert.ok(
        parseFloat(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)) > parseFloat(plain),
        'in large type',
      );
      await axeFindsNothing(page);
      await page.click('#run');
      await firstFigure(page, 'done').waitFor(WAIT);
      await page.focus('.handle');
      const rows = await page.locator('.handle').getAttribute('aria-valuenow');
      await page.keyboard.press('ArrowRight');
      assert.deepEqual(await seen(page), ['figure-endings'], 'the arrow key moved the line');
      assert.notEqual(await page.locator('.handle').getAttribute('aria-valuenow'), rows);
      await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
      await page.keyboard.press('PageDown');
      assert.deepEqual(await seen(page), ['figure-votes']);
      for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowRight');
      assert.deepEqual(await seen(page), ['figure-densities'], 'the last one');
      await page.keyboard.press('ArrowLeft');
      assert.match(await page.locator('.stage-place').innerText(), /^4 of 5/);
      await page.keyboard.press('Escape');
      assert.ok((await seen(page)).includes('H1'));
      assert.ok(await page.locator('#figure-learning').evaluate((figure) => Math.abs(figure.getBoundingClientRect().top) < 5));
      await page.click('#projector');
      assert.deepEqual(await seen(page), ['figure-endings']);
    },
    { viewport: { width: 1920, height: 1080 }, reducedMotion: 'reduce' },
  ));

more('the keys work with the focus in a list of choices; so do the space bar, Home and End; the hint covers nothing', () =>
  withPage(
    async (page) => {
      await page.goto('/web/pages/transformer/');
      await firstFigure(page).waitFor(WAIT);
      await page.keyboard.press('Alt+p');
      assert.deepEqual(await seen(page), ['figure-translation']);
      await page.focus('#beams');
      const beams = await page.inputValue('#beams');
      await page.keyboard.press('ArrowRight');
      assert.deepEqual(await seen(page), ['figure-walk']);
      assert.equal(await page.inputValue('#beams'), beams);
      await page.keyboard.press('End');
      assert.deepEqual(await seen(page), ['figure-beams']);
      await page.keyboard.press('Home');
      await page.keyboard.press('Space');
      assert.deepEqual(await seen(page), ['figure-walk']);
      await page.keyboard.press('Shift+Space');
      assert.deepEqual(await seen(page), ['figure-translation']);
      for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) {
        const [hint, figure] = await page.evaluate(() =>
          ['.stage-place', 'main figure:not(.off-stage)'].map((one) => document.querySelector(one)?.getBoundingClientRect().toJSON()),
        );
        assert.ok(hint.bottom <= figure.top + 1, `the hint ends at ${hint.bottom}, the figure begins at ${figure.top}`);
        await page.keyboard.press(key);
      }
    },
    { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' },
  ),
);

test('a phone has no projector mode', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/fvsbn/');
    await firstFigure(page).waitFor(WAIT);
    assert.equal(await page.locator('#projector').count(), 1);
    assert.equal(await page.locator('#projector').isVisible(), false);
  }, PHONE));
