// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that pages fit the screen with the narrowest font. ../pages.test.js and ../manual.test.js use the widest font. */

import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { everyPageInEveryLanguage, lacks, session } from '../browser.js';
import { fitsAnyReader, scrollThrough } from '../checks.js';

const { withPage } = session([], 'narrow');
const MANUAL = (await readdir(new URL('../../../web/manual/', import.meta.url)))
  .filter((name) => name.endsWith('.html'))
  .map((name) => `manual/${name}`)
  .sort();

describe('narrow letters', { concurrency: 2, skip: lacks('narrow') }, async () => {
  for (const path of [...(await everyPageInEveryLanguage()), ...MANUAL]) {
    test(`/web/${path} fits at every width, with wider spaces and at 200 %`, () =>
      withPage(
        async (page) => {
          await page.goto(`/web/${path}`);
          await scrollThrough(page);
          await page.waitForLoadState('networkidle');
          await fitsAnyReader(page);
        },
        { viewport: { width: 320, height: 740 }, reducedMotion: 'reduce' },
      ));
  }
});
