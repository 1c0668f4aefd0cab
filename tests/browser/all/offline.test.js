// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that every page works offline after a visit. Only `npm run test:all` runs this file. */

import { describe, test } from 'node:test';

import { WAIT, everyPageInEveryLanguage, firstFigure, session } from '../browser.js';
import { isKept } from '../checks.js';

const { withPage } = session();

describe('pages', { concurrency: 2 }, async () => {
  for (const path of await everyPageInEveryLanguage()) {
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
