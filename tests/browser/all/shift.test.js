// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that no page shifts while it loads, at three widths. Only `npm run test:all` runs this file. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WAIT, everyPageInEveryLanguage, firstFigure, session, sleep } from '../browser.js';
import { shiftsBelow, watchShifts } from '../checks.js';

const { withPage } = session();
const SHIFT = 0.1;

describe('pages', { concurrency: 2 }, async () => {
  for (const path of await everyPageInEveryLanguage()) {
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
  }
});
