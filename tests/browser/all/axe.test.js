// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that axe-core finds nothing on any page, in light and dark mode, on a phone and with forced colours. Only `npm run test:all` runs
 * this file.
 */

import { describe, test } from 'node:test';

import { WAIT, everyPageInEveryLanguage, firstFigure, session } from '../browser.js';
import { LOOKS, axeFindsNothing, scrollThrough } from '../checks.js';

const { withPage } = session();

describe('pages', { concurrency: 2 }, async () => {
  for (const path of await everyPageInEveryLanguage()) {
    for (const [how, options] of LOOKS)
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
  }
});
