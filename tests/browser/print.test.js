// SPDX-License-Identifier: MIT
// @ts-check

/** Two pages on paper, one in each language; all/print.test.js has every one. */

import { test } from 'node:test';

import { WAIT, firstFigure, session } from './browser.js';
import { printsWell, scrollThrough } from './checks.js';

const { withPage } = session();

for (const path of ['pages/opened/ko/', 'pages/transformer/']) {
  test(`/web/${path} on paper is text and stills`, () =>
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
