// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the manual in a browser: its layout does not shift and is not too wide, axe-core finds no fault, Tab reaches all controls, and the
 * manual works without a connection. all/manual.test.js opens every page on every screen.
 */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { more, oneOf } from '../more.js';
import { OUT, painted, session, until } from './browser.js';
import { PHONE, SET, axeFindsNothing, fits, fitsAnyReader, scrollThrough, shiftsBelow, tabReachesAll, watchShifts } from './checks.js';

const { withPage } = session();
const NAMES = (await readdir(new URL('../../web/manual/', import.meta.url))).filter((name) => name.endsWith('.html')).sort();
/** Maximum layout shift. Pages with figures may shift more, but pages of the manual are mostly text. */
const SHIFT = 0.02;

assert.ok(NAMES.length >= 9);
/**
 * One program generates all pages of the manual, so `npm test` loads only every ninth page. axe-core checks every second page in dark mode
 * at phone size, and the others in light mode.
 */
for (const [i, name] of NAMES.entries()) {
  const night = i % 2 === 1;
  oneOf(i, 9)(`${name}: nothing shifts, it fits any reader, axe-core finds nothing in ${night ? 'dark mode' : 'light mode'}`, () =>
    withPage(async (page) => {
      await watchShifts(page);
      await page.goto(`/web/manual/${name}`);
      await page.waitForLoadState('load');
      await fits(page);
      await scrollThrough(page); // brings the live element into view
      await shiftsBelow(page, SHIFT);
      await page.screenshot({ path: `${OUT}manual-${name.replace('.html', '')}.png` });
      if (night) {
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.setViewportSize({ width: 360, height: 740 });
        await painted(page);
      }
      await axeFindsNothing(page);
      await fitsAnyReader(page, SET);
    }),
  );
}

test('a search finds a section by its words, and the result leads to the section', () =>
  withPage(async (page) => {
    await page.goto('/web/manual/');
    const field = page.getByLabel('Search the manual');
    await field.fill('playTo');
    const found = page.locator('#found a');
    await found.first().waitFor();
    assert.ok(
      (await found.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).some((href) => href?.startsWith('sound.html')),
    );
    await field.fill('lamaxkup');
    await page.getByText('Nothing found').waitFor();
    await field.fill('Trusted Types');
    await found.first().click();
    await page.waitForURL(/hosting\.html/);
  }));

test('a button copies each block of code', async () =>
  withPage(async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/web/manual/');
    const block = page.locator('.code-block').first();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByText('Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${(await block.locator('code').textContent())?.trimEnd()}\n`);
  }));

more('a phone lays out the manual at the real width of the screen', () =>
  withPage(async (page) => {
    await page.goto('/web/manual/');
    await fits(page);
    await axeFindsNothing(page);
  }, PHONE),
);

test('all links and scrollable areas are reached with Tab and have a visible focus', () =>
  withPage(async (page) => {
    await page.goto('/web/manual/');
    await tabReachesAll(page);
  }));

test('under the policy, the element of the first page draws, and the page is available without a connection', () =>
  withPage(
    async (page) => {
      await page.goto('/web/manual/');
      const draw = async () => {
        await page.locator('next-pixel').getByRole('button', { name: 'Play' }).click();
        await page
          .locator('next-pixel [part=status]')
          .getByText(/^Drawn: /)
          .waitFor();
      };
      await draw();
      await until(page, async () => {
        const kept = (
          await Promise.all(
            ['nextpixel-page', 'nextpixel'].map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
          )
        ).flat();
        return [location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)].every((url) => kept.includes(url));
      });
      await page.context().setOffline(true);
      await page.reload();
      await draw();
    },
    { complains: true },
  ));

more('the front page leads to the manual', () =>
  withPage(
    async (page) => {
      await page.goto('/web/');
      await page.getByRole('link', { name: 'Manual', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Start in three ways' }).waitFor();
    },
    { complains: true },
  ),
);
