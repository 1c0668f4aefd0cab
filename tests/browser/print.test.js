// SPDX-License-Identifier: MIT
// @ts-check

/** Checks how two pages are printed, one in each language; all/print.test.js checks every page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { WAIT, firstFigure, session } from './browser.js';
import { oneOf } from '../more.js';
import { printsWell, scrollThrough } from './checks.js';

const { withPage } = session();

for (const [i, path] of ['pages/opened/ko/', 'pages/transformer/'].entries()) {
  oneOf(i, 2)(`/web/${path} on paper is text and stills`, () =>
    withPage(
      async (page) => {
        await page.goto(`/web/${path}`);
        await firstFigure(page).waitFor(WAIT);
        await scrollThrough(page);
        await printsWell(page);
      },
      { reducedMotion: 'reduce' },
    ),
  );
}

test('Ctrl+P waits until figures that were never on screen are drawn', () =>
  withPage(async (page) => {
    await page.addInitScript(() => {
      globalThis.print = () => {
        document.documentElement.dataset.printed = '';
      };
    });
    await page.goto('/web/pages/transformer/');
    await firstFigure(page).waitFor(WAIT);
    await page.keyboard.press('Control+p');
    await page.locator('html[data-printed]').waitFor();
    const empty = await page.evaluate(() =>
      ['#walk-source', '#map', '#with-own', '#without-other', '#tree'].filter((id) => !document.querySelector(id)?.hasChildNodes()),
    );
    assert.deepEqual(empty, []);
    await printsWell(page);
  }));
