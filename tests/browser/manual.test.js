// SPDX-License-Identifier: MIT
// @ts-check

/** The manual as a visitor has it: nothing moves or sticks out, axe-core finds nothing, all of it is reached with Tab, and it is there without a connection. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { OUT, session, sleep, until } from './browser.js';

const { withPage } = session();
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.js');
const NAMES = (await readdir(new URL('../../web/manual/', import.meta.url))).filter((name) => name.endsWith('.html')).sort();

/** @type {[string, import('playwright-core').BrowserContextOptions][]} */
const SCREENS = [
  ['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }], ['phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
];

assert.ok(NAMES.length >= 9);
for (const name of NAMES) {
  for (const [how, options] of SCREENS) {
    test(`${name}, ${how}: axe-core finds nothing, nothing moves, nothing is wider than the screen`, () => withPage(async (page) => {
      await page.addInitScript(() => {
        /** @type {any} */ (globalThis).shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of /** @type {any[]} */ (list.getEntries())) if (!entry.hadRecentInput) /** @type {any} */ (globalThis).shift += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
      });
      await page.goto(`/web/manual/${name}`);
      await page.waitForLoadState('networkidle');
      await page.evaluate(() => scrollTo({ top: 600, behavior: 'instant' })); // the live element comes near
      await sleep(300);
      assert.ok(await page.evaluate(() => /** @type {any} */ (globalThis).shift) < 0.02, 'it moves while it loads');
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is wider than the screen');
      await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
      await page.screenshot({ path: `${OUT}manual-${name.replace('.html', '')}-${how}.png`, fullPage: true });
      await page.addScriptTag({ path: AXE }).catch(() => {}); // the policy refuses it; the test may go around that
      const { violations } = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ { target }) => target).join('; ')}`), []);
    }, { bypassCSP: true, ...options }));
  }
}

test('what can be scrolled or followed is reached with Tab, with a visible focus', () => withPage(async (page) => {
  await page.goto('/web/manual/');
  const wanted = await page.evaluate(() => [...document.querySelectorAll('a[href], pre')].map((element, i) => {
    /** @type {any} */ (element).stop = i;
    return element.textContent;
  }));
  /** @type {Set<number>} */
  const reached = new Set();
  for (let i = 0; i < wanted.length + 10 && reached.size < wanted.length; i++) {
    await page.keyboard.press('Tab');
    const { stop, ring } = await page.evaluate(() => {
      const element = /** @type {any} */ (document.activeElement);
      return { stop: element.stop, ring: getComputedStyle(element).outlineStyle !== 'none' };
    });
    if (stop === undefined) continue;
    assert.ok(ring, `no visible focus on ${wanted[stop]}`);
    reached.add(stop);
  }
  assert.deepEqual(wanted.filter((_, i) => !reached.has(i)), []);
}));

test('under the policy the element of the first page draws, and the page is there without a connection', () => withPage(async (page) => {
  await page.goto('/web/manual/');
  const draw = async () => {
    await page.locator('next-pixel').getByRole('button', { name: 'Play' }).click();
    await page.locator('next-pixel [part=status]').getByText(/^Drawn: /).waitFor();
  };
  await draw();
  await until(page, async () => {
    const kept = (await Promise.all(['nextpixel-page', 'nextpixel'].map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)))).flat();
    return [location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)].every((url) => kept.includes(url));
  });
  await sleep(500);
  await page.context().setOffline(true);
  await page.reload();
  await draw();
}, { complains: true }));

test('the front page leads to it', () => withPage(async (page) => {
  await page.goto('/web/');
  await page.getByRole('link', { name: 'Manual', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Start in three ways' }).waitFor();
}, { complains: true }));
