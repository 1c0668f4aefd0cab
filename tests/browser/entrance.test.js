// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks the language in which a visitor sees the site. Until the visitor chooses a language, the site uses the language of the browser.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { more } from '../more.js';
import { session, sleep } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

/** Opens an address; returns the path and the language of the page that the visitor reaches. @param {Page} page @param {string} address */
async function comesTo(page, address) {
  await page.goto(address);
  await page.locator('.masthead .language').first().waitFor();
  return page.evaluate(() => location.pathname + document.documentElement.lang);
}

test('a Korean browser gets the Korean page first; the link to English is visible, and the choice is remembered', () =>
  withPage(
    async (page) => {
      /** @type {string[]} */
      const painted = [];
      page.on('console', (message) => painted.push(message.text()));
      await page.addInitScript(() =>
        new PerformanceObserver((list) => {
          if (list.getEntries().length > 0) console.log(`painted ${document.documentElement.lang}`);
        }).observe({ type: 'paint', buffered: true }),
      );
      assert.equal(await comesTo(page, '/web/'), '/web/ko/ko');
      for (let i = 0; i < 100 && painted.length === 0; i++) await sleep(50); // the browser reports a paint some time later
      assert.deepEqual([...new Set(painted)], ['painted ko'], 'the Korean page was painted, and the English page was not');
      await page.locator('.masthead .language[lang=en]').click();
      await page.waitForURL('**/web/');
      assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
      await page.goto('about:blank');
      assert.equal(await comesTo(page, '/web/'), '/web/en');
    },
    { locale: 'ko-KR' },
  ));

test('an address that names a language, or a shared address, keeps its language, and the link to the other language is emphasised', () =>
  withPage(
    async (page) => {
      assert.equal(await comesTo(page, '/web/?lang=en'), '/web/en');
      await page.goto('about:blank');
      assert.equal(await comesTo(page, '/web/#figure-hero?seed=9'), '/web/en');
      await page.goto('about:blank');
      assert.equal(await comesTo(page, '/web/pages/fvsbn/'), '/web/pages/fvsbn/en');
      assert.equal(await page.locator('.other-language').count(), 1);
      assert.equal(await comesTo(page, '/web/pages/fvsbn/?lang=ko'), '/web/pages/fvsbn/ko/ko');
      assert.equal(await page.locator('.other-language').count(), 0);
    },
    { locale: 'ko-KR' },
  ));

more('a language that a page does not have is reported, in the language of the page', () =>
  withPage(async (page) => {
    const notice = page.locator('main > .notice:not(#from-file)');
    assert.equal(await comesTo(page, '/web/pages/fvsbn/?lang=de'), '/web/pages/fvsbn/en');
    await notice.getByText('The address asks for the language “de”. This page exists in: en, ko.').waitFor();
    assert.equal(await comesTo(page, '/web/ko/?lang=klingon'), '/web/ko/ko');
    await notice.getByText('“klingon”').waitFor();
    assert.match(await notice.innerText(), /en/);
    for (const address of ['/web/?lang=en', '/web/?lang=ko', '/web/pages/transformer/?lang=de']) {
      await comesTo(page, address);
      await page.waitForFunction(() => document.querySelector('[data-phase]'));
      assert.equal(await notice.count(), 0, address);
    }
  }),
);

more('an English browser stays on a page, even a Korean one', () =>
  withPage(async (page) => {
    assert.equal(await comesTo(page, '/web/'), '/web/en');
    assert.equal(await comesTo(page, '/web/ko/'), '/web/ko/ko');
  }),
);
