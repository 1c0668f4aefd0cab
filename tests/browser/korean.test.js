// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks every eighth Korean page at phone size, with one load per page; ./build.sh test-sweep checks every Korean page. Nothing may be
 * wider than the screen. No error may occur, even if the address is malformed. englishIn() must find no English sentence.
 * all/korean.test.js runs axe-core, and checks every width, with every figure drawn. tests/js/languages.test.js checks that the scripts and
 * the translation tables match.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { pagesIn } from '../../web/tools/frame.js';
import { LANGUAGES } from '../../web/tools/languages.js';
import { more, oneOf } from '../more.js';
import { WAIT, firstFigure, painted, session } from './browser.js';
import { MALFORMED, PHONE, englishIn, fits, scrollThrough, turnTo } from './checks.js';

const { withPage } = session();

describe('pages in Korean', { concurrency: 2 }, async () => {
  for (const [i, name] of (await pagesIn(fileURLToPath(new URL('../../web', import.meta.url)), 'ko')).entries()) {
    oneOf(i, 8)(`/web/${name && `pages/${name}/`}ko/: fits a phone, no complaint, ignores a malformed address, nothing is in English`, () =>
      withPage(
        async (page) => {
          await page.goto(`/web/${name && `pages/${name}/`}ko/${MALFORMED[0]}`);
          await page.locator('figure').first().scrollIntoViewIfNeeded();
          await firstFigure(page).waitFor(WAIT);
          await scrollThrough(page);
          await fits(page);
          assert.deepEqual(await englishIn(page), []);
          await turnTo(page, MALFORMED);
        },
        { ...PHONE, colorScheme: 'dark', reducedMotion: 'reduce' },
      ),
    );
  }
});

describe('pages in languages that have only some of the pages', async () => {
  for (const [lang] of Object.entries(LANGUAGES).filter(([, { whole }]) => !whole))
    for (const name of await pagesIn(fileURLToPath(new URL('../../web', import.meta.url)), lang))
      more(`/web/pages/${name}/${lang}/: fits a phone, no complaint`, () =>
        withPage(async (page) => {
          await page.goto(`/web/pages/${name}/${lang}/`);
          await firstFigure(page).waitFor(WAIT);
          assert.equal(await page.locator('html').getAttribute('lang'), lang);
          await scrollThrough(page);
          await fits(page);
        }, PHONE),
      );
});

test('the link to the other language opens the same page at the same scroll position, with the settings of its figures', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/fvsbn/');
    await firstFigure(page).waitFor(WAIT);
    await page.fill('#seed', '77');
    await page.keyboard.press('Enter');
    await page.locator('#figure-votes').scrollIntoViewIfNeeded();
    await page.locator('#figure-votes').evaluate((figure) => figure.scrollIntoView({ behavior: 'instant' }));
    await painted(page);
    await page.locator('.masthead .language').evaluate((link) => /** @type {HTMLElement} */ (link).click()); // does not scroll the page
    await page.waitForURL('**/pages/fvsbn/ko/#figure-votes');
    assert.equal(await page.locator('html').getAttribute('lang'), 'ko');
    await firstFigure(page).waitFor(WAIT);
    await page.waitForFunction(() => /** @type {HTMLInputElement | null} */ (document.querySelector('#seed'))?.value === '77');
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await page.locator('.masthead .language').click();
    await page.waitForURL(/\/pages\/fvsbn\/#/);
    await firstFigure(page).waitFor(WAIT);
    await page.waitForFunction(() => /** @type {HTMLInputElement | null} */ (document.querySelector('#seed'))?.value === '77');
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
  }));

test('English pages fetch no other language; the Korean front page leads to Korean pages, and its elements use Korean', () =>
  withPage(async (page) => {
    await page.goto('/web/');
    await firstFigure(page).waitFor(WAIT);
    assert.equal(await page.locator('#words-of-page').count(), 0);
    await page.goto('/web/ko/');
    await firstFigure(page).waitFor(WAIT);
    await page.locator('.card').first().waitFor();
    assert.match((await page.locator('.card[href*="fvsbn"]').getAttribute('href')) ?? '', /\/pages\/fvsbn\/ko\/$/);
    await page.locator('.tile[data-tile="wavenet"] canvas[width]').waitFor(WAIT);
    await page.locator('.tile[data-tile="wavenet"]').click();
    await page.locator('dialog next-pixel:defined').waitFor();
    await page.waitForFunction(() =>
      document.querySelector('dialog next-pixel')?.shadowRoot?.querySelector('button')?.textContent?.includes('재생'),
    );
  }));
