// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Loads published pages, each page once, and checks what every page promises: its layout does not shift while it loads, its first figure is
 * drawn without a click, and nothing violates the security policy. The tests in all/ make each check on every page, at every width, in a
 * separate load.
 *
 * The front page and the folders of web/pages are divided into groups of eight pages. In this file, `npm test` loads the first four pages
 * of the first group and the first two pages of each further group. The other pages have separate tests, which also fail if a page
 * reports a problem. Some pages of a group have further checks:
 * - The first two pages (in ./build.sh test-sweep, also the fifth and the sixth) are drawn completely. They must fit every screen. axe-core
 *   must find no fault on the first page in light mode, and none on the second page in dark mode on a phone.
 * - The third page is loaded again, and Tab must reach all its controls.
 * - The fourth page is loaded again without a connection.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { toyModel } from '../js/toy.js';
import { more } from '../more.js';
import { WAIT, everyPage, firstFigure, painted, provide, session } from './browser.js';
import { SET, axeFindsNothing, fitsAnyReader, isFilled, isKept, scrollThrough, shiftsBelow, tabReachesAll, watchShifts } from './checks.js';
import { published } from './published.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

/** The maximum layout shift that web.dev rates as good. */
const SHIFT = 0.1;
const TELEPHONE = { width: 360, height: 740 };
const TALL = { width: 390, height: 844 };
const SCREEN = { width: 1200, height: 900 };

/**
 * A random model that replaces a shipped one. With the shipped model, the first figure of the page on enlargement in colour would compute
 * for half a minute, because it enlarges 96 emoji. superres.test.js tests the page with its own model.
 */
const LARGER = toyModel({
  width: 32,
  height: 32,
  channels: 3,
  levels: 256,
  palette: true,
  inputWidth: 8,
  queryBlock: 256,
  memoryBlock: 256,
});

/** Opens a page with its security policy, and waits for its first figure. @param {Page} page @param {string} path */
async function open(page, path) {
  await watchShifts(page);
  if (path === 'pages/colour/') await provide(page, '/weights*/emoji-sr.gguf', LARGER);
  const response = await page.goto(`/web/${path}`);
  assert.match(response?.headers()['content-security-policy'] ?? '', /default-src 'none'/);
  await still(page);
  for (const viewport of [TALL, SCREEN]) {
    await isFilled(page);
    await page.setViewportSize(viewport);
  }
}

/** Waits until a page has loaded, and checks that its layout did not shift. @param {Page} page */
async function still(page) {
  // On a phone, the figure may be so far down that it is not created yet.
  if (
    await page
      .locator('figure')
      .first()
      .evaluate((figure) => figure.getBoundingClientRect().top < innerHeight)
  )
    await firstFigure(page).waitFor(WAIT);
  else await page.waitForLoadState('networkidle');
  await shiftsBelow(page, SHIFT);
  await page.locator('figure').first().scrollIntoViewIfNeeded();
  await firstFigure(page).waitFor(WAIT);
}

/** Draws the first figure completely, without animation. @param {Page} page */
async function works(page) {
  await page.locator('figure').first().scrollIntoViewIfNeeded();
  const run = page.locator('figure').first().locator('[data-phase] button').first();
  await firstFigure(page).waitFor(WAIT);
  await run.click();
  await firstFigure(page, 'done').waitFor(WAIT);
}

describe('pages', { concurrency: 2 }, async () => {
  for (const [i, path] of (await everyPage()).entries()) {
    const night = i % 2 === 1; // tests pages alternately in light mode, and in dark mode at phone size
    const whole = i % 4 < 2;
    const again = i % 8 === 2 ? 'Tab reaches all' : i % 8 === 3 ? 'works without a connection' : '';
    const further = whole ? ', fits any reader, axe-core finds nothing' : again && `, ${again}`;
    (i % 8 < (i < 8 ? 4 : 2) ? test : more)(`/web/${path}: does not move, asks for what is published, no complaint${further}`, () =>
      withPage(
        async (page, complaints) => {
          /** @type {Set<string>} */
          const asked = new Set();
          page.on('request', (request) => {
            if (/^http/.test(request.url())) asked.add(new URL(request.url()).pathname.slice(1).replace(/\/$/, '/index.html'));
          });
          await open(page, path);
          if (whole) {
            await scrollThrough(page);
            await page.emulateMedia({ colorScheme: night ? 'dark' : 'light', reducedMotion: 'reduce' });
            await page.setViewportSize(night ? TELEPHONE : SCREEN);
            await painted(page);
            await axeFindsNothing(page);
            await fitsAnyReader(page, SET);
          }
          if (again) {
            await page.emulateMedia({ reducedMotion: 'reduce' });
            await page.setViewportSize(TELEPHONE);
            await painted(page);
            await isKept(page);
          }
          assert.deepEqual(complaints, []);
          const { files } = await published();
          assert.deepEqual(
            [...asked].filter((path) => !files.has(path)),
            [],
            'is not a file of the site',
          );
          if (!again) return;
          await page.context().setOffline(night);
          await page.reload();
          await still(page);
          await page.setViewportSize(SCREEN);
          await (night ? works : tabReachesAll)(page);
        },
        { complains: true },
      ),
    ); // without a connection, the browser reports failed requests
  }
});
