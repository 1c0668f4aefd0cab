// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that every page obeys the content security policy, also with animation, and takes screenshots of each page. Only
 * `npm run test:all` runs this file.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { OUT, WAIT, everyPageInEveryLanguage, firstFigure, session, sleep } from '../browser.js';
import { LOOKS, scrollThrough } from '../checks.js';

const { withPage } = session();

describe('pages', { concurrency: 2 }, async () => {
  for (const path of await everyPageInEveryLanguage()) {
    const file = path.replace('pages/', '').replace(/\/$/, '').replace('/', '-') || 'front';
    for (const [how, options] of LOOKS)
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
});
