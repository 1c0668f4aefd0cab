// SPDX-License-Identifier: MIT
// @ts-check

/** Checks every page of the manual at every screen size. Each check loads the page anew. Only `npm run test:all` runs this file. */

import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { session } from '../browser.js';
import { PHONE, axeFindsNothing, fits, scrollThrough, shiftsBelow, watchShifts } from '../checks.js';

const { withPage } = session();
const NAMES = (await readdir(new URL('../../../web/manual/', import.meta.url))).filter((name) => name.endsWith('.html')).sort();

describe('manual', { concurrency: 2 }, () => {
  for (const name of NAMES) {
    for (const [how, options] of /** @type {[string, import('playwright-core').BrowserContextOptions][]} */ ([
      ['light', { colorScheme: 'light' }],
      ['dark', { colorScheme: 'dark' }],
      ['phone', PHONE],
    ])) {
      test(`${name}, ${how}: axe-core finds nothing, nothing shifts, nothing is wider than the screen`, () =>
        withPage(async (page) => {
          await watchShifts(page);
          await page.goto(`/web/manual/${name}`);
          await page.waitForLoadState('networkidle');
          await scrollThrough(page); // creates all parts of the page, such as the live element, which waits until it is in view
          await shiftsBelow(page, 0.02);
          await fits(page);
          await axeFindsNothing(page);
        }, options));
    }
  }
});
