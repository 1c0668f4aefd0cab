// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that Tab reaches everything on every page. Only `npm run test:all` runs this file. */

import { describe, test } from 'node:test';

import { WAIT, everyPageInEveryLanguage, firstFigure, session } from '../browser.js';
import { scrollThrough, tabReachesAll } from '../checks.js';

const { withPage } = session();

describe('pages', { concurrency: 2 }, async () => {
  for (const path of await everyPageInEveryLanguage()) {
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
  }
});
