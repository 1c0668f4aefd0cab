// SPDX-License-Identifier: MIT
// @ts-check

/** Checks terms in a page's text: while a term is hovered or focused, the part of a figure that the term names is highlighted. */

import assert from 'node:assert/strict';

import { oneOf } from '../more.js';
import { session } from './browser.js';

const { withPage } = session();
const PAGES = ['opened', 'transformer', 'reading', 'structure'];

for (const [i, name] of PAGES.entries()) {
  oneOf(i, 2)(`${name}: each term highlights its part, and only while it is pointed at`, () =>
    withPage(
      async (page) => {
        await page.goto(`/web/pages/${name}/`);
        await page.waitForFunction(() => document.querySelector('main figure [data-phase]:not([data-phase=empty])'));
        await page
          // Starts the first figure. On the page "The Transformer, opened", the first figure is finished from the start, so the button runs
          // the figure again. After this run, the computation of the first step (#sum) has no buttons.
          .locator(name === 'opened' ? '#transport button.primary' : 'main figure [data-phase=ready] button.primary')
          .first()
          .click({ timeout: 5000 })
          .catch(() => {}); // a finished figure has no button to start it
        await page.locator('[data-points]').first().scrollIntoViewIfNeeded();
        const lit = page.locator('.pointed-at');
        const terms = page.locator('[data-points]');
        for (let n = 0; n < (await terms.count()); n++) {
          const term = terms.nth(n);
          const parts = (await term.getAttribute('data-points')) ?? '';
          await page.locator(parts).first().waitFor({ state: 'attached' });
          // A figure that is playing may add a part just after the term gets the focus. The new part is highlighted at the next attempt.
          for (let left = 5; ; left--) {
            await term.focus();
            const counts = [await lit.count(), await page.locator(parts).count()];
            if (counts[0] !== counts[1] && left > 0) await term.blur();
            else {
              assert.equal(counts[0], counts[1], `${parts}, with the keyboard`);
              break;
            }
          }
          await term.blur();
          assert.equal(await lit.count(), 0);
          await term.hover();
          assert.ok((await lit.count()) > 0, `${parts}, with the pointer`);
          await page.mouse.move(0, 0);
          assert.equal(await lit.count(), 0);
        }
        assert.ok((await terms.count()) > 0);
      },
      { reducedMotion: 'reduce' },
    ),
  );
}
