// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs the checks of ../korean.test.js on every Korean page: at every width, with wider spacing and larger text, and with the first figure
 * drawn completely. Also checks that Tab reaches everything. Only `npm run test:all` runs this file.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { pagesIn } from '../../../web/tools/frame.js';
import { WAIT, OUT, firstFigure, session } from '../browser.js';
import { axeFindsNothing, englishIn, fitsAnyReader, scrollThrough, shiftsBelow, tabReachesAll, watchShifts } from '../checks.js';

const { withPage } = session();
const SHIFT = 0.1;

describe('pages in Korean', { concurrency: 2 }, async () => {
  for (const name of await pagesIn(fileURLToPath(new URL('../../../web', import.meta.url)), 'ko')) {
    const address = `/web/${name && `pages/${name}/`}ko/`;
    test(`${address}: does not shift, fits at every text size and spacing, passes axe-core, is reachable with Tab, and shows no English once everything is drawn`, () =>
      withPage(
        async (page) => {
          await watchShifts(page);
          await page.goto(address);
          await firstFigure(page).waitFor(WAIT);
          await shiftsBelow(page, SHIFT);
          await scrollThrough(page);
          await page.locator('figure').first().scrollIntoViewIfNeeded();
          await page.locator('figure').first().locator('[data-phase] button').first().click();
          await firstFigure(page, 'done').waitFor(WAIT);
          await page.screenshot({ path: `${OUT}${name || 'front'}-ko.png`, fullPage: true });
          await axeFindsNothing(page);
          assert.deepEqual(await englishIn(page), []);
          await fitsAnyReader(page);
          await tabReachesAll(page);
        },
        { reducedMotion: 'reduce' },
      ));
  }
});
