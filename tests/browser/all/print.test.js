// SPDX-License-Identifier: MIT
// @ts-check

/** Checks the printed form of every page in both languages. Only `npm run test:all` runs this file. */

import { describe, test } from 'node:test';

import { WAIT, everyPageInEveryLanguage, firstFigure, session } from '../browser.js';
import { printsWell, scrollThrough } from '../checks.js';

const { withPage } = session();

describe('on paper', { concurrency: 2 }, async () => {
  for (const path of await everyPageInEveryLanguage()) {
    test(`/web/${path} prints as text and still pictures`, () =>
      withPage(
        async (page) => {
          await page.goto(`/web/${path}`);
          await firstFigure(page).waitFor(WAIT);
          await scrollThrough(page);
          await printsWell(page);
        },
        { reducedMotion: 'reduce' },
      ));
  }
});
