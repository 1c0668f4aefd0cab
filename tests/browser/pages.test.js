// SPDX-License-Identifier: MIT
// @ts-check

/**
 * What every page promises, in three loads of it as it is published: nothing moves while it loads, it fits whoever reads it, axe-core finds nothing by
 * day and by night, the policy holds, all of it is reached with Tab, and it works without a connection. A page is found by its folder in
 * web/pages. all/pages.test.js asks each of these at every width.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { OUT, everyPage, firstFigure, painted, session } from './browser.js';
import { PHONE, axeFindsNothing, fits, fitsAnyReader, isKept, scrollThrough, shiftsBelow, tabReachesAll, watchShifts } from './checks.js';
import { published } from './published.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const WAIT = { timeout: 60000 };

/** What a good page moves at most, as web.dev has it. */
const SHIFT = 0.1;

/** Opens a page under the policy, and waits for its first figure. @param {Page} page @param {string} path */
async function open(page, path) {
  await watchShifts(page);
  const response = await page.goto(`/web/${path}`);
  assert.match(response?.headers()['content-security-policy'] ?? '', /default-src 'none'/);
  // On a phone the figure may lie too far down to be made yet.
  if (await page.locator('figure').first().evaluate((figure) => figure.getBoundingClientRect().top < innerHeight)) await firstFigure(page).waitFor(WAIT);
  else await page.waitForLoadState('networkidle');
  await shiftsBelow(page, SHIFT);
  await page.locator('figure').first().scrollIntoViewIfNeeded();
  await firstFigure(page).waitFor(WAIT);
}

/** Draws the first figure to its end, without show. @param {Page} page */
async function works(page) {
  await page.locator('figure').first().scrollIntoViewIfNeeded();
  const run = page.locator('figure').first().locator('[data-phase] button').first();
  await firstFigure(page).waitFor(WAIT);
  await run.click();
  await firstFigure(page, 'done').waitFor(WAIT);
}

describe('pages', { concurrency: 2 }, async () => {
  for (const path of await everyPage()) {
    const name = path.split('/')[1] ?? 'front';

    test(`/web/${path} on a telephone: does not move, fits, no complaint, axe-core finds nothing`, () => withPage(async (page) => {
      await open(page, path);
      await fits(page);
      await scrollThrough(page);
      await fits(page);
      await page.screenshot({ path: `${OUT}${name}-phone.png`, fullPage: true });
      await axeFindsNothing(page);
      await fits(page);
    }, PHONE));

    test(`/web/${path}: does not move, asks for what is published, fits any reader, no complaint, axe-core finds nothing, Tab reaches all, works without a connection`, () => withPage(async (page, complaints) => {
      /** @type {Set<string>} */
      const asked = new Set();
      page.on('request', (request) => { if (/^http/.test(request.url())) asked.add(new URL(request.url()).pathname.slice(1).replace(/\/$/, '/index.html')); });
      await open(page, path);
      await scrollThrough(page);
      await page.screenshot({ path: `${OUT}${name}-light.png`, fullPage: true });
      await axeFindsNothing(page);
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await painted(page);
      await axeFindsNothing(page);
      await page.screenshot({ path: `${OUT}${name}-dark.png`, fullPage: true });
      await fitsAnyReader(page);
      await isKept(page);
      assert.deepEqual(complaints, []);
      const { files } = await published();
      assert.deepEqual([...asked].filter((path) => !files.has(path)), [], 'is not a file of the site');
      await page.context().setOffline(true);
      await page.reload();
      await works(page);
      await page.screenshot({ path: `${OUT}${name}-offline.png` });
      await tabReachesAll(page);
    }, { complains: true })); // without a connection the browser does
  }
});
