// SPDX-License-Identifier: MIT
// @ts-check

/** Terms of the text that highlight their part of a figure, with the pointer and with the keyboard. */

import assert from 'node:assert/strict';

import { oneOf } from '../more.js';
import { session } from './browser.js';

const { withPage } = session();
const PAGES = ['opened', 'transformer', 'reading', 'structure'];

/** Waits until as many parts as before are there for half a second: a figure that is playing adds some. @param {import('playwright-core').Page} page @param {string} parts */
async function quiet(page, parts) {
  for (let before = -1, now = await page.locator(parts).count(); now !== before; now = await page.locator(parts).count()) {
    before = now;
    await page.waitForTimeout(500);
  }
}

for (const [i, name] of PAGES.entries()) {
  oneOf(i, 2)(`${name}: each term lights up its part, and only while it is pointed at`, () =>
    withPage(
      async (page) => {
        await page.goto(`/web/pages/${name}/`);
        await page.waitForFunction(() => document.querySelector('main figure [data-phase]:not([data-phase=empty])'));
        await page
          .locator('main figure [data-phase=ready] button.primary')
          .first()
          .click({ timeout: 5000 })
          .catch(() => {}); // what is finished needs no start
        await page.locator('[data-points]').first().scrollIntoViewIfNeeded();
        const lit = page.locator('.pointed-at');
        const terms = page.locator('[data-points]');
        for (let n = 0; n < (await terms.count()); n++) {
          const term = terms.nth(n);
          const parts = (await term.getAttribute('data-points')) ?? '';
          await page.locator(parts).first().waitFor({ state: 'attached' });
          await quiet(page, parts);
          await term.focus();
          assert.equal(await lit.count(), await page.locator(parts).count(), `${parts}, by the keyboard`);
          await term.blur();
          assert.equal(await lit.count(), 0);
          await term.hover();
          assert.ok((await lit.count()) > 0, `${parts}, by the pointer`);
          await page.mouse.move(0, 0);
          assert.equal(await lit.count(), 0);
        }
        assert.ok((await terms.count()) > 0);
      },
      { reducedMotion: 'reduce' },
    ),
  );
}
