// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs the checks of ../pages.test.js on every page: at every width, in light and dark mode, and with animation. Each check loads the page
 * anew. Only `npm run test:all` runs this file.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WAIT, OUT, everyPageInEveryLanguage, firstFigure, session, sleep } from '../browser.js';
import { PHONE, axeFindsNothing, isKept, scrollThrough, shiftsBelow, tabReachesAll, watchShifts } from '../checks.js';

/** @import { BrowserContextOptions } from 'playwright-core' */

const { withPage } = session();
const SHIFT = 0.1;

describe('pages', { concurrency: 2 }, async () => {
  for (const path of await everyPageInEveryLanguage()) {
    const file = path.replace('pages/', '').replace(/\/$/, '').replace('/', '-') || 'front';
    for (const [width, height] of [
      [360, 740],
      [768, 1024],
      [1280, 800],
    ]) {
      test(`/web/${path} does not shift while it loads, ${width} pixels wide`, (context) =>
        withPage(
          async (page) => {
            await watchShifts(page);
            await page.goto(`/web/${path}`);
            // On a phone, the figure may be so far down that it is not created yet.
            await Promise.race([
              firstFigure(page)
                .waitFor(WAIT)
                .catch(() => {}),
              sleep(4000),
            ]);
            await sleep(1000);
            context.diagnostic((await shiftsBelow(page, SHIFT)).toFixed(3));
            assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, 'nothing is wider than the screen');
          },
          { viewport: { width, height } },
        ));
    }

    for (const [how, options] of /** @type {[string, BrowserContextOptions][]} */ ([
      ['light', { colorScheme: 'light' }],
      ['dark', { colorScheme: 'dark' }],
      ['at 360 pixels', PHONE],
      ['with forced colours', { forcedColors: 'active' }],
    ])) {
      test(`axe-core finds nothing on /web/${path}, ${how}`, () =>
        withPage(
          async (page) => {
            await page.goto(`/web/${path}`);
            await scrollThrough(page);
            await firstFigure(page).waitFor(WAIT);
            await axeFindsNothing(page);
          },
          { reducedMotion: 'reduce', ...options },
        ));

      test(`/web/${path} obeys the content security policy, ${how}`, () =>
        withPage(async (page) => {
          const response = await page.goto(`/web/${path}`);
          assert.match(response?.headers()['content-security-policy'] ?? '', /default-src 'none'/);
          await scrollThrough(page);
          await firstFigure(page).waitFor(WAIT);
          await sleep(2500); // pictures
          await page.screenshot({ path: `${OUT}all-${file}-${how.replaceAll(' ', '-')}.png`, fullPage: true });
        }, options));
    }

    test(`Tab reaches everything on /web/${path}, with a visible focus`, () =>
      withPage(
        async (page) => {
          await page.goto(`/web/${path}`);
          await scrollThrough(page);
          await firstFigure(page).waitFor(WAIT);
          await tabReachesAll(page);
        },
        { reducedMotion: 'reduce' },
      ));

    test(`/web/${path} works offline after a visit, and online again`, () =>
      withPage(
        async (page) => {
          const works = async () => {
            await page.locator('figure').first().scrollIntoViewIfNeeded();
            await firstFigure(page, 'done').waitFor(WAIT);
          };
          await page.goto(`/web/${path}`);
          await works();
          await isKept(page);
          await page.context().setOffline(true);
          await page.reload();
          await works();
          await page.context().setOffline(false);
          await page.reload();
          await works();
        },
        { complains: true },
      ));
  }
});
